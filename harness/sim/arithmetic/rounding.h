/**
 * @file rounding.h
 * @brief What the files of floating-point opcodes share: modifiers, special values, and arithmetic
 * under the roundings that PTX lets a kernel choose.
 */
#ifndef SIM_ARITHMETIC_ROUNDING_H
#define SIM_ARITHMETIC_ROUNDING_H

#include "sim/decoding/decode.h"

#include <math.h>

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/** Operations whose rounding a kernel may choose. */
enum rounded_operation {
    ROUNDED_ADD,
    ROUNDED_SUB,
    ROUNDED_MUL,
    ROUNDED_FMA,
    ROUNDED_DIV,
    ROUNDED_SQRT,
    ROUNDED_RCP
};

/** One of these operations with its modifiers. */
struct rounded {
    enum rounded_operation operation;
    enum rounding rounding;
    bool ftz, sat;
};

/** Modifiers of a floating-point opcode. */
struct float_text {
    enum ptx_type type;
    enum rounding rounding;
    bool ftz, sat, is_approximate, is_full;
};

struct float_text sim_read_float(struct decoder *decoder, const struct ptx_instruction *source);

/** Applies an operation to 32 lanes under a rounding mode; operands that it lacks are ignored. */
void sim_round32(const struct rounded *rounded, const float *a, const float *b, const float *c,
                 float *result);
void sim_round64(const struct rounded *rounded, const double *a, const double *b, const double *c,
                 double *result);

/** The NaN that 32-bit operations give. */
static inline float hardware_nan(void)
{
    return __builtin_nanf("0x3fffff");
}

static inline float canonical(float value)
{
    return value != value ? hardware_nan() : value;
}

/** Subnormal values become zeros of the same sign. */
static inline float flush_to_zero(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

#endif
