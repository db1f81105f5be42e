/**
 * @file half_values.h
 * @brief Floating-point values of 16 bits, f16 and bf16, as doubles, which hold both exactly, and
 * of 8 bits.
 */
#ifndef SIM_ARITHMETIC_HALF_VALUES_H
#define SIM_ARITHMETIC_HALF_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/** Value of 16 bits. */
double sim_half_value(uint32_t bits, bool is_bf16);

/** Bits of a value, rounded to nearest even; NaN is 0x7fff. */
uint32_t sim_half_bits(double value, bool is_bf16);

/** The 16 bits of f16 that an FP8 value becomes; exact. */
uint32_t sim_half_of_float8(uint32_t bits, bool is_e5m2);

/** The 8 bits of a value, rounded to nearest even; what is too large becomes the largest finite
 *  value, and NaN 0x7f. */
uint32_t sim_float8_bits(double value, bool is_e5m2);

#endif
