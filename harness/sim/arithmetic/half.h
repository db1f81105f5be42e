/**
 * @file half.h
 * @brief 16-bit floating-point values: f16 and bf16 as doubles, which hold both exactly.
 */
#ifndef SIM_ARITHMETIC_HALF_H
#define SIM_ARITHMETIC_HALF_H

#include "sim/decoding/decode.h"

/** Value of 16 bits. */
double sim_half_value(uint32_t bits, bool is_bf16);

/** Bits of a value, rounded to nearest even; NaN is 0x7fff. */
uint32_t sim_half_bits(double value, bool is_bf16);

/** Whether the last type of an opcode is f16, bf16 or a pair of them. */
bool sim_is_half(const struct ptx_instruction *source);

/** add, sub, mul, fma, min, max, neg, abs, ex2, tanh, setp, set of f16, bf16 or pairs of them. */
void sim_decode_half(struct decoder *decoder, const struct ptx_instruction *source);

#endif
