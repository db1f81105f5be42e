/**
 * @file float.h
 * @brief Arithmetic that is correctly rounded.
 */
#ifndef SIM_ARITHMETIC_FLOAT_H
#define SIM_ARITHMETIC_FLOAT_H

#include "sim/decoding/decode.h"

/** add, sub, mul, fma, div, sqrt, rcp with correct rounding. */
void sim_decode_arithmetic(struct decoder *decoder, const struct ptx_instruction *source);

#endif
