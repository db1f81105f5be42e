/**
 * @file half_values.h
 * @brief 16-bit floating-point values, f16 and bf16, as doubles, which hold both exactly.
 */
#ifndef SIM_ARITHMETIC_HALF_VALUES_H
#define SIM_ARITHMETIC_HALF_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/** Value of 16 bits. */
double sim_half_value(uint32_t bits, bool is_bf16);

/** Bits of a value, rounded to nearest even; NaN is 0x7fff. */
uint32_t sim_half_bits(double value, bool is_bf16);

#endif
