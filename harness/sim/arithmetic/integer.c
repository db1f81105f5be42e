/* Integer arithmetic of 16, 32 and 64 bits, without the carry chains (carry.c).
 *
 * 16-bit values lie zero-extended in 32-bit lanes. Nothing here may trap: divisors of zero and the
 * most negative dividend are handled before the host divides. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

/* Signs do not matter to add, sub, mul.lo and mad.lo. */
BINARY(add16, uint32_t, uint32_t, uint32_t, (uint16_t)(a + b))
BINARY(add32, uint32_t, uint32_t, uint32_t, a + b)
BINARY(add64, uint64_t, uint64_t, uint64_t, a + b)
BINARY(sub16, uint32_t, uint32_t, uint32_t, (uint16_t)(a - b))
BINARY(sub32, uint32_t, uint32_t, uint32_t, a - b)
BINARY(sub64, uint64_t, uint64_t, uint64_t, a - b)
BINARY(mul16, uint32_t, uint32_t, uint32_t, (uint16_t)(a *b))
BINARY(mul32, uint32_t, uint32_t, uint32_t, a *b)
BINARY(mul64, uint64_t, uint64_t, uint64_t, a *b)
TERNARY(mad16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(a *b + c))
TERNARY(mad32, uint32_t, uint32_t, uint32_t, uint32_t, a *b + c)
TERNARY(mad64, uint64_t, uint64_t, uint64_t, uint64_t, a *b + c)

static inline int32_t clamp32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

BINARY(add_sat, int32_t, int32_t, int32_t, clamp32((int64_t)a + b))
BINARY(sub_sat, int32_t, int32_t, int32_t, clamp32((int64_t)a - b))

/* Two 16-bit values in one register. */
BINARY(add16x2, uint32_t, uint32_t, uint32_t, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16)

/* mul.hi and mul.wide */
BINARY(mul_hi_u16, uint32_t, uint32_t, uint32_t, a *b >> 16)
BINARY(mul_hi_s16, uint32_t, uint32_t, uint32_t, (uint16_t)((int16_t)a *(int16_t)b >> 16))
BINARY(mul_hi_u32, uint32_t, uint32_t, uint32_t, (uint64_t)a *b >> 32)
BINARY(mul_hi_s32, int32_t, int32_t, int32_t, (int64_t)a *b >> 32)
BINARY(mul_hi_u64, uint64_t, uint64_t, uint64_t, (unsigned __int128)a *b >> 64)
BINARY(mul_hi_s64, int64_t, int64_t, int64_t, (__int128)a *b >> 64)
BINARY(mul_wide_u16, uint32_t, uint32_t, uint32_t, (uint32_t)(uint16_t)a *(uint16_t)b)
BINARY(mul_wide_s16, int32_t, uint32_t, uint32_t, (int16_t)a *(int16_t)b)
BINARY(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
BINARY(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)

TERNARY(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)((a * b >> 16) + c))
TERNARY(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint16_t)(((int16_t)a * (int16_t)b >> 16) + (int)c))
TERNARY(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a *b >> 32) + c)
TERNARY(mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)((int64_t)a *b >> 32) + c)
TERNARY(mad_hi_sat, int32_t, int32_t, int32_t, int32_t, clamp32(((int64_t)a * b >> 32) + c))
TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t,
        (uint64_t)((unsigned __int128)a *b >> 64) + c)
TERNARY(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)((__int128)a *b >> 64) + c)
TERNARY(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)(uint16_t)a *(uint16_t)b + c)
TERNARY(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)((int16_t)a *(int16_t)b) + c)
TERNARY(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
TERNARY(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

/* 24-bit products: bits 0..31 (lo) or 16..47 (hi) of 48. */
#define U24(x) ((uint64_t)((x)&0xffffff))
#define S24(x) ((int64_t)((int32_t)((uint32_t)(x) << 8) >> 8))
BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, U24(a) * U24(b))
BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t, U24(a) * U24(b) >> 16)
BINARY(mul24_lo_s32, uint32_t, uint32_t, uint32_t, (uint64_t)(S24(a) * S24(b)))
BINARY(mul24_hi_s32, uint32_t, uint32_t, uint32_t, (uint64_t)(S24(a) * S24(b) >> 16))
TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(U24(a) * U24(b)) + c)
TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(U24(a) * U24(b) >> 16) + c)
TERNARY(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(S24(a) * S24(b)) + c)
TERNARY(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(S24(a) * S24(b) >> 16) + c)
TERNARY(mad24_hi_sat, int32_t, uint32_t, uint32_t, int32_t,
        clamp32((int64_t)(int32_t)(S24(a) * S24(b) >> 16) + c))

/* Sum of absolute differences. */
TERNARY(sad_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(c + (a < b ? b - a : a - b)))
TERNARY(sad_s16, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint16_t)(c + ((int16_t)a < (int16_t)b ? b - a : a - b)))
TERNARY(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t, c + (a < b ? b - a : a - b))
TERNARY(sad_s32, uint32_t, uint32_t, uint32_t, uint32_t,
        c + ((int32_t)a < (int32_t)b ? b - a : a - b))
TERNARY(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t, c + (a < b ? b - a : a - b))
TERNARY(sad_s64, uint64_t, uint64_t, uint64_t, uint64_t,
        c + ((int64_t)a < (int64_t)b ? b - a : a - b))

/* As on the hardware, a division by zero gives all ones, and its remainder is the dividend. */
#define UNSIGNED_DIVISION(T, a, b)  ((b) ? (T)(a) / (T)(b) : (T) ~(T)0)
#define UNSIGNED_REMAINDER(T, a, b) ((b) ? (T)(a) % (T)(b) : (T)(a))

static inline int32_t divide32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b;
}

static inline int32_t remainder32(int32_t a, int32_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline int64_t divide64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t remainder64(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

BINARY(div_u16, uint32_t, uint32_t, uint32_t, UNSIGNED_DIVISION(uint16_t, a, (uint16_t)b))
BINARY(div_s16, uint32_t, uint32_t, uint32_t, (uint16_t)divide32((int16_t)a, (int16_t)b))
BINARY(div_u32, uint32_t, uint32_t, uint32_t, UNSIGNED_DIVISION(uint32_t, a, b))
BINARY(div_s32, int32_t, int32_t, int32_t, divide32(a, b))
BINARY(div_u64, uint64_t, uint64_t, uint64_t, UNSIGNED_DIVISION(uint64_t, a, b))
BINARY(div_s64, int64_t, int64_t, int64_t, divide64(a, b))
BINARY(rem_u16, uint32_t, uint32_t, uint32_t, UNSIGNED_REMAINDER(uint16_t, a, (uint16_t)b))
BINARY(rem_s16, uint32_t, uint32_t, uint32_t, (uint16_t)remainder32((int16_t)a, (int16_t)b))
BINARY(rem_u32, uint32_t, uint32_t, uint32_t, UNSIGNED_REMAINDER(uint32_t, a, b))
BINARY(rem_s32, int32_t, int32_t, int32_t, remainder32(a, b))
BINARY(rem_u64, uint64_t, uint64_t, uint64_t, UNSIGNED_REMAINDER(uint64_t, a, b))
BINARY(rem_s64, int64_t, int64_t, int64_t, remainder64(a, b))

UNARY(abs_s16, uint32_t, uint32_t, (uint16_t)((int16_t)a < 0 ? 0 - a : a))
UNARY(abs_s32, uint32_t, uint32_t, (int32_t)a < 0 ? 0 - a : a)
UNARY(abs_s64, uint64_t, uint64_t, (int64_t)a < 0 ? 0 - a : a)
UNARY(neg_s16, uint32_t, uint32_t, (uint16_t)(0 - a))
UNARY(neg_s32, uint32_t, uint32_t, 0 - a)
UNARY(neg_s64, uint64_t, uint64_t, 0 - a)

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
BINARY(min_u16, uint32_t, uint32_t, uint32_t, MIN(a, b))
BINARY(max_u16, uint32_t, uint32_t, uint32_t, MAX(a, b))
BINARY(min_s16, uint32_t, uint32_t, uint32_t, (uint16_t)MIN((int16_t)a, (int16_t)b))
BINARY(max_s16, uint32_t, uint32_t, uint32_t, (uint16_t)MAX((int16_t)a, (int16_t)b))
BINARY(min_u32, uint32_t, uint32_t, uint32_t, MIN(a, b))
BINARY(max_u32, uint32_t, uint32_t, uint32_t, MAX(a, b))
BINARY(min_s32, int32_t, int32_t, int32_t, MIN(a, b))
BINARY(max_s32, int32_t, int32_t, int32_t, MAX(a, b))
BINARY(min_u64, uint64_t, uint64_t, uint64_t, MIN(a, b))
BINARY(max_u64, uint64_t, uint64_t, uint64_t, MAX(a, b))
BINARY(min_s64, int64_t, int64_t, int64_t, MIN(a, b))
BINARY(max_s64, int64_t, int64_t, int64_t, MAX(a, b))
BINARY(min_relu, int32_t, int32_t, int32_t, MAX(MIN(a, b), 0))
BINARY(max_relu, int32_t, int32_t, int32_t, MAX(MAX(a, b), 0))

#define HIGH_S16(x)     ((int16_t)((x) >> 16))
#define PAIR(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(uint16_t)(high) << 16)
BINARY(min_u16x2, uint32_t, uint32_t, uint32_t,
       PAIR(MIN((uint16_t)a, (uint16_t)b), MIN(a >> 16, b >> 16)))
BINARY(max_u16x2, uint32_t, uint32_t, uint32_t,
       PAIR(MAX((uint16_t)a, (uint16_t)b), MAX(a >> 16, b >> 16)))
BINARY(min_s16x2, uint32_t, uint32_t, uint32_t,
       PAIR(MIN((int16_t)a, (int16_t)b), MIN(HIGH_S16(a), HIGH_S16(b))))
BINARY(max_s16x2, uint32_t, uint32_t, uint32_t,
       PAIR(MAX((int16_t)a, (int16_t)b), MAX(HIGH_S16(a), HIGH_S16(b))))
BINARY(min_s16x2_relu, uint32_t, uint32_t, uint32_t,
       PAIR(MAX(MIN((int16_t)a, (int16_t)b), 0), MAX(MIN(HIGH_S16(a), HIGH_S16(b)), 0)))
BINARY(max_s16x2_relu, uint32_t, uint32_t, uint32_t,
       PAIR(MAX(MAX((int16_t)a, (int16_t)b), 0), MAX(MAX(HIGH_S16(a), HIGH_S16(b)), 0)))

/* Dot products of bytes; dp2a takes two 16-bit values of a and two bytes of b. */
#define BYTE_U(x, i) ((int32_t)((x) >> (8 * (i)) & 0xff))
#define BYTE_S(x, i) ((int32_t)(int8_t)((x) >> (8 * (i))))
#define HALF_U(x, i) ((int32_t)((x) >> (16 * (i)) & 0xffff))
#define HALF_S(x, i) ((int32_t)(int16_t)((x) >> (16 * (i))))
#define DP4A(A, B)                                                                                 \
    c + (uint32_t)(A(a, 0) * B(b, 0) + A(a, 1) * B(b, 1) + A(a, 2) * B(b, 2) + A(a, 3) * B(b, 3))
#define DP2A(A, B, first)                                                                          \
    c + (uint32_t)(A(a, 0) * B(b, first)) + (uint32_t)(A(a, 1) * B(b, first + 1))
TERNARY(dp4a_uu, uint32_t, uint32_t, uint32_t, uint32_t, DP4A(BYTE_U, BYTE_U))
TERNARY(dp4a_us, uint32_t, uint32_t, uint32_t, uint32_t, DP4A(BYTE_U, BYTE_S))
TERNARY(dp4a_su, uint32_t, uint32_t, uint32_t, uint32_t, DP4A(BYTE_S, BYTE_U))
TERNARY(dp4a_ss, uint32_t, uint32_t, uint32_t, uint32_t, DP4A(BYTE_S, BYTE_S))
TERNARY(dp2a_lo_uu, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_U, BYTE_U, 0))
TERNARY(dp2a_lo_us, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_U, BYTE_S, 0))
TERNARY(dp2a_lo_su, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_S, BYTE_U, 0))
TERNARY(dp2a_lo_ss, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_S, BYTE_S, 0))
TERNARY(dp2a_hi_uu, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_U, BYTE_U, 2))
TERNARY(dp2a_hi_us, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_U, BYTE_S, 2))
TERNARY(dp2a_hi_su, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_S, BYTE_U, 2))
TERNARY(dp2a_hi_ss, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(HALF_S, BYTE_S, 2))

/* One handler for u and s, as signs do not matter to the result. */
#define BOTH_SIGNS(opcode, bits, handler, shape)                                                   \
    {opcode ".u" bits, handler, shape, 0},                                                         \
    {                                                                                              \
        opcode ".s" bits, handler, shape, 0                                                        \
    }
#define ALL_WIDTHS(opcode, name, h, w, l)                                                          \
    BOTH_SIGNS(opcode, "16", name##16, h), BOTH_SIGNS(opcode, "32", name##32, w),                  \
        BOTH_SIGNS(opcode, "64", name##64, l)
#define EACH_TYPE(opcode, name, h, w, l)                                                           \
    {opcode ".u16", name##_u16, h, 0}, {opcode ".s16", name##_s16, h, 0},                          \
        {opcode ".u32", name##_u32, w, 0}, {opcode ".s32", name##_s32, w, 0},                      \
        {opcode ".u64", name##_u64, l, 0},                                                         \
    {                                                                                              \
        opcode ".s64", name##_s64, l, 0                                                            \
    }
#define EACH_NARROW(opcode, name, h, w)                                                            \
    {opcode ".u16", name##_u16, h, 0}, {opcode ".s16", name##_s16, h, 0},                          \
        {opcode ".u32", name##_u32, w, 0},                                                         \
    {                                                                                              \
        opcode ".s32", name##_s32, w, 0                                                            \
    }
#define EACH_SIGNED(opcode, name)                                                                  \
    {opcode ".s16", name##_s16, "h=h", 0}, {opcode ".s32", name##_s32, "w=w", 0},                  \
    {                                                                                              \
        opcode ".s64", name##_s64, "l=l", 0                                                        \
    }
#define EACH_BYTES(opcode, name)                                                                   \
    {opcode ".u32.u32", name##_uu, "w=www", 0}, {opcode ".u32.s32", name##_us, "w=www", 0},        \
        {opcode ".s32.u32", name##_su, "w=www", 0},                                                \
    {                                                                                              \
        opcode ".s32.s32", name##_ss, "w=www", 0                                                   \
    }

const struct rule sim_integer_rules[] = {
    ALL_WIDTHS("add", add, "h=hh", "w=ww", "l=ll"),
    ALL_WIDTHS("sub", sub, "h=hh", "w=ww", "l=ll"),
    ALL_WIDTHS("mul.lo", mul, "h=hh", "w=ww", "l=ll"),
    ALL_WIDTHS("mad.lo", mad, "h=hhh", "w=www", "l=lll"),
    {"add.sat.s32", add_sat, "w=ww", 0},
    {"sub.sat.s32", sub_sat, "w=ww", 0},
    {"add.u16x2", add16x2, "w=ww", 0},
    {"add.s16x2", add16x2, "w=ww", 0},
    EACH_TYPE("mul.hi", mul_hi, "h=hh", "w=ww", "l=ll"),
    EACH_NARROW("mul.wide", mul_wide, "w=hh", "l=ww"),
    EACH_TYPE("mad.hi", mad_hi, "h=hhh", "w=www", "l=lll"),
    EACH_NARROW("mad.wide", mad_wide, "w=hhw", "l=wwl"),
    {"mad.hi.sat.s32", mad_hi_sat, "w=www", 0},
    {"mul24.lo.u32", mul24_lo_u32, "w=ww", 0},
    {"mul24.hi.u32", mul24_hi_u32, "w=ww", 0},
    {"mul24.lo.s32", mul24_lo_s32, "w=ww", 0},
    {"mul24.hi.s32", mul24_hi_s32, "w=ww", 0},
    {"mad24.lo.u32", mad24_lo_u32, "w=www", 0},
    {"mad24.hi.u32", mad24_hi_u32, "w=www", 0},
    {"mad24.lo.s32", mad24_lo_s32, "w=www", 0},
    {"mad24.hi.s32", mad24_hi_s32, "w=www", 0},
    {"mad24.hi.sat.s32", mad24_hi_sat, "w=www", 0},
    EACH_TYPE("sad", sad, "h=hhh", "w=www", "l=lll"),
    EACH_TYPE("div", div, "h=hh", "w=ww", "l=ll"),
    EACH_TYPE("rem", rem, "h=hh", "w=ww", "l=ll"),
    EACH_SIGNED("abs", abs),
    EACH_SIGNED("neg", neg),
    EACH_TYPE("min", min, "h=hh", "w=ww", "l=ll"),
    EACH_TYPE("max", max, "h=hh", "w=ww", "l=ll"),
    {"min.relu.s32", min_relu, "w=ww", 0},
    {"max.relu.s32", max_relu, "w=ww", 0},
    {"min.s32.relu", min_relu, "w=ww", 0},
    {"max.s32.relu", max_relu, "w=ww", 0},
    {"min.s16x2.relu", min_s16x2_relu, "w=ww", 0},
    {"max.s16x2.relu", max_s16x2_relu, "w=ww", 0},
    {"min.u16x2", min_u16x2, "w=ww", 0},
    {"max.u16x2", max_u16x2, "w=ww", 0},
    {"min.s16x2", min_s16x2, "w=ww", 0},
    {"max.s16x2", max_s16x2, "w=ww", 0},
    {"min.relu.s16x2", min_s16x2_relu, "w=ww", 0},
    {"max.relu.s16x2", max_s16x2_relu, "w=ww", 0},
    EACH_BYTES("dp4a", dp4a),
    EACH_BYTES("dp2a.lo", dp2a_lo),
    EACH_BYTES("dp2a.hi", dp2a_hi),
    {NULL, NULL, NULL, 0},
};
