/**
 * @file rounding.h
 * @brief What the files of floating-point opcodes share: modifiers, special values, and arithmetic
 * under the roundings that PTX lets a kernel choose.
 */
#ifndef SIM_ARITHMETIC_ROUNDING_H
#define SIM_ARITHMETIC_ROUNDING_H

#include "sim/decoding/decode.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Floating-point values of 16 bits, f16 and bf16, as doubles, which hold both exactly, and
 * of 8 bits. */

/** Value of 16 bits. */
double sim_half_value(uint32_t bits, bool is_bf16);

/** Bits of a value, rounded to nearest even; NaN is 0x7fff. */
uint32_t sim_half_bits(double value, bool is_bf16);

/** The 16 bits of f16 that an FP8 value becomes; exact. */
uint32_t sim_half_of_float8(uint32_t bits, bool is_e5m2);

/** The 8 bits of a value, rounded to nearest even; what is too large becomes the largest finite
 *  value, and NaN 0x7f. */
uint32_t sim_float8_bits(double value, bool is_e5m2);

/* --- rounding ----------------------------------------------------------------------------------*/

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

/** A result of 64 bits, where a NaN is that of b, c or a, made quiet: the first of them that is
 * one, as an H200 takes it. Which one the host takes depends on its processor and on the compiler.
 */
static inline double with_nan_of(double value, double a, double b, double c)
{
    const double from = b != b ? b : c != c ? c : a;
    uint64_t bits;
    memcpy(&bits, &from, sizeof bits);
    bits = from != from ? bits | UINT64_C(1) << 51 : UINT64_C(0xfff8000000000000);
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    return value == value ? value : nan;
}

/** Likewise of a division, where the dividend's NaN comes first. */
static inline double quotient_with_nan(double value, double a, double b, double c)
{
    (void)c;
    return with_nan_of(value, b, a, a);
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

/**
 * What .ftz makes of a rounded result, as an H200 does: the exact result is tiny if it is below the
 * least normal value when it is rounded to 24 bits, whatever its exponent. These are finer steps
 * than those of subnormal values, so that some of what they round up becomes zero.
 * @param product     the part of the exact result that is not `added`
 * @param is_nearest  how `value` was rounded
 */
static inline float flush_result(float value, double product, double added, bool is_nearest)
{
    const double least = is_nearest ? 0x1p-126 - 0x1p-151 : 0x1p-126 - 0x1p-150; /* not tiny */
    const double rest = value < 0 ? least + added : least - added;
    const double part = value < 0 ? -product : product;
    const bool is_tiny = is_nearest ? part < rest : part <= rest;
    return fabsf(value) == 0x1p-126f && is_tiny ? copysignf(0, value) : flush_to_zero(value);
}

/* ---- 16-bit and 8-bit floating-point values ---- */

/** cvt to and from FP8 and TF32. @return false if the opcode is another one */
bool sim_decode_narrow(struct decoder *decoder, const struct ptx_instruction *source);

/** Whether the last type of an opcode is f16, bf16 or a pair of them. */
bool sim_is_half(const struct ptx_instruction *source);

/** add, sub, mul, fma, min, max, neg, abs, ex2, tanh, setp, set of f16, bf16 or pairs of them. */
void sim_decode_half(struct decoder *decoder, const struct ptx_instruction *source);

/* ---- Arithmetic that is correctly rounded ---- */

/** add, sub, mul, fma, div, sqrt, rcp with correct rounding. */
void sim_decode_arithmetic(struct decoder *decoder, const struct ptx_instruction *source);

/* ---- What convert.c (fast conversions) and convert_any.c (all others) share ---- */

/** The parts of a cvt. */
struct convert_text {
    enum ptx_type to, from;
    enum rounding rounding;
    bool is_integral; /**< .rni and the like */
    bool ftz, sat, relu;
};

/** Makes the data of sim_run_conversion(); refuses a conversion that it cannot do. */
const void *sim_new_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                               const struct convert_text *text, char from, char to, bool is_short);

/** Converts lane by lane. */
const struct instruction *sim_run_conversion(struct warp *warp, const struct instruction *at);

/** cvt.rn.f16x2.f32 d, a, b and the like: a goes into the upper half. */
void sim_decode_pair_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                                const struct convert_text *text);

#endif
