/* cvt between all integer and floating-point types.
 *
 * The conversions that compilers emit all the time are vector loops. Everything else (8- and 16-bit
 * results of floating-point sources, half precision, rare roundings) goes lane by lane through the
 * widest host types, which hold every source exactly. */
#pragma GCC optimize("no-math-errno", "no-trapping-math")

#include "rounding.h"

#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <math.h>
#include <string.h>

/* ---- Integer to integer: which bits are kept, and which register they are extended to ---- */

UNARY(u8_w, uint32_t, uint32_t, (uint8_t)a)
UNARY(s8_w, uint32_t, uint32_t, (uint32_t)(int8_t)a)
UNARY(s8_h, uint32_t, uint32_t, (uint16_t)(int8_t)a)
UNARY(u16_w, uint32_t, uint32_t, (uint16_t)a)
UNARY(s16_w, uint32_t, uint32_t, (uint32_t)(int16_t)a)
UNARY(u8_l, uint64_t, uint32_t, (uint8_t)a)
UNARY(s8_l, uint64_t, uint32_t, (uint64_t)(int8_t)a)
UNARY(u16_l, uint64_t, uint32_t, (uint16_t)a)
UNARY(s16_l, uint64_t, uint32_t, (uint64_t)(int16_t)a)
UNARY(u32_l, uint64_t, uint32_t, a)
UNARY(s32_l, uint64_t, uint32_t, (uint64_t)(int32_t)a)
UNARY(l_u8, uint32_t, uint64_t, (uint8_t)a)
UNARY(l_u16, uint32_t, uint64_t, (uint16_t)a)
UNARY(l_u32, uint32_t, uint64_t, a)

/* ---- Floating point ---- */

UNARY(s32_to_f32, float, int32_t, a)
UNARY(u32_to_f32, float, uint32_t, a)
UNARY(s64_to_f32, float, int64_t, a)
UNARY(u64_to_f32, float, uint64_t, a)
UNARY(s32_to_f64, double, int32_t, a)
UNARY(u32_to_f64, double, uint32_t, a)
UNARY(s64_to_f64, double, int64_t, a)
UNARY(u64_to_f64, double, uint64_t, a)
UNARY(f32_to_f64, double, float, a)
UNARY(f32_to_f64_ftz, double, float, canonical(flush_to_zero(a)))
UNARY(f64_to_f32, float, double, (float)a)
UNARY(f64_to_f32_ftz, float, double, flush_result((float)a, a, 0, true))
UNARY(bf16_to_f32, uint32_t, uint32_t, a << 16)

/* NaN and negative values become 0. */
UNARY(sat_f32, float, float, a > 1 ? 1 : a > 0 ? a : 0)
UNARY(sat_f32_ftz, float, float, a > 1 ? 1 : a >= 0x1p-126f ? a : 0)

UNARY(rni_f32, float, float, canonical(rintf(a)))
UNARY(rzi_f32, float, float, canonical(truncf(a)))
UNARY(rmi_f32, float, float, canonical(floorf(a)))
UNARY(rpi_f32, float, float, canonical(ceilf(a)))
UNARY(rni_f32_ftz, float, float, canonical(rintf(flush_to_zero(a))))
UNARY(rzi_f32_ftz, float, float, canonical(truncf(flush_to_zero(a))))
UNARY(rmi_f32_ftz, float, float, canonical(floorf(flush_to_zero(a))))
UNARY(rpi_f32_ftz, float, float, canonical(ceilf(flush_to_zero(a))))
/* A signaling NaN becomes quiet, which not every processor's rounding does. */
UNARY(rni_f64, double, double, a == a ? rint(a) : a + a)
UNARY(rzi_f64, double, double, a == a ? trunc(a) : a + a)
UNARY(rmi_f64, double, double, a == a ? floor(a) : a + a)
UNARY(rpi_f64, double, double, a == a ? ceil(a) : a + a)

/* A value beyond the range becomes the nearer end of the range. NaN becomes 0, or only the highest
 * bit is set where the source is f64 or the result has 64 bits. */
#define CLAMPED(name, T, FROM, low, limit, least, most, invalid)                                   \
    static inline T name(FROM a)                                                                   \
    {                                                                                              \
        const T inside = (T)(a >= (low) && a < (limit) ? a : 0);                                   \
        return a >= (limit) ? (most) : a < (low) ? (least) : a != a ? (T)(invalid) : inside;       \
    }
CLAMPED(f32_to_s32, int32_t, float, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
CLAMPED(f32_to_u32, uint32_t, float, 0, 0x1p32f, 0, UINT32_MAX, 0)
CLAMPED(f32_to_s64, int64_t, float, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN)
CLAMPED(f32_to_u64, uint64_t, float, 0, 0x1p64f, 0, UINT64_MAX, UINT64_C(1) << 63)
CLAMPED(f64_to_s32, int32_t, double, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
CLAMPED(f64_to_u32, uint32_t, double, 0, 0x1p32, 0, UINT32_MAX, UINT32_C(1) << 31)
CLAMPED(f64_to_s64, int64_t, double, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
CLAMPED(f64_to_u64, uint64_t, double, 0, 0x1p64, 0, UINT64_MAX, UINT64_C(1) << 63)

#define TO_INTEGER(rounding, type, round32, round64)                                               \
    UNARY(rounding##_f32_##type, type##_slot, float, f32_to_##type(round32(a)))                    \
    UNARY(rounding##_f64_##type, type##_slot, double, f64_to_##type(round64(a)))
#define TO_INTEGERS(rounding, round32, round64)                                                    \
    TO_INTEGER(rounding, s32, round32, round64)                                                    \
    TO_INTEGER(rounding, u32, round32, round64)                                                    \
    TO_INTEGER(rounding, s64, round32, round64)                                                    \
    TO_INTEGER(rounding, u64, round32, round64)
typedef int32_t s32_slot;
typedef uint32_t u32_slot;
typedef int64_t s64_slot;
typedef uint64_t u64_slot;
TO_INTEGERS(rni, rintf, rint)
TO_INTEGERS(rzi, truncf, trunc)
TO_INTEGERS(rmi, floorf, floor)
TO_INTEGERS(rpi, ceilf, ceil)

#define TO_INTEGER_RULES(rounding, type, slot)                                                     \
    {"cvt." #rounding "." #type ".f32", rounding##_f32_##type, slot "=w", 0},                      \
    {                                                                                              \
        "cvt." #rounding "." #type ".f64", rounding##_f64_##type, slot "=l", 0                     \
    }
#define ROUNDING_RULES(rounding)                                                                   \
    TO_INTEGER_RULES(rounding, s32, "w"), TO_INTEGER_RULES(rounding, u32, "w"),                    \
        TO_INTEGER_RULES(rounding, s64, "l"), TO_INTEGER_RULES(rounding, u64, "l"),                \
        {"cvt." #rounding ".f32.f32", rounding##_f32, "w=w", 0},                                   \
        {"cvt." #rounding ".ftz.f32.f32", rounding##_f32_ftz, "w=w", 0},                           \
    {                                                                                              \
        "cvt." #rounding ".f64.f64", rounding##_f64, "l=l", 0                                      \
    }

static const struct rule float_rules[] = {
    ROUNDING_RULES(rni),
    ROUNDING_RULES(rzi),
    ROUNDING_RULES(rmi),
    ROUNDING_RULES(rpi),
    {"cvt.rzi.ftz.s32.f32", rzi_f32_s32, "w=w", 0}, /* subnormals become 0 anyway */
    {"cvt.rzi.ftz.u32.f32", rzi_f32_u32, "w=w", 0},
    {"cvt.rzi.ftz.s64.f32", rzi_f32_s64, "l=w", 0},
    {"cvt.rzi.ftz.u64.f32", rzi_f32_u64, "l=w", 0},
    {"cvt.rni.ftz.s32.f32", rni_f32_s32, "w=w", 0},
    {"cvt.rni.ftz.u32.f32", rni_f32_u32, "w=w", 0},
    {"cvt.rn.f32.s32", s32_to_f32, "w=w", 0},
    {"cvt.rn.f32.u32", u32_to_f32, "w=w", 0},
    {"cvt.rn.f32.s64", s64_to_f32, "w=l", 0},
    {"cvt.rn.f32.u64", u64_to_f32, "w=l", 0},
    {"cvt.rn.f64.s32", s32_to_f64, "l=w", 0},
    {"cvt.rn.f64.u32", u32_to_f64, "l=w", 0},
    {"cvt.rn.f64.s64", s64_to_f64, "l=l", 0},
    {"cvt.rn.f64.u64", u64_to_f64, "l=l", 0},
    {"cvt.f64.f32", f32_to_f64, "l=w", 0},
    {"cvt.ftz.f64.f32", f32_to_f64_ftz, "l=w", 0},
    {"cvt.sat.f32.f32", sat_f32, "w=w", 0},
    {"cvt.sat.ftz.f32.f32", sat_f32_ftz, "w=w", 0},
    {"cvt.ftz.sat.f32.f32", sat_f32_ftz, "w=w", 0},
    {"cvt.f32.bf16", bf16_to_f32, "w=h", 0},
    {"cvt.rn.f32.f64", f64_to_f32, "w=l", 0},
    {"cvt.rn.ftz.f32.f64", f64_to_f32_ftz, "w=l", 0},
    {NULL, NULL, NULL, 0},
};

/* ---- Integer rules: by what is kept and where it goes ---- */

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_S64;
}

static bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

struct widening {
    unsigned bits; /* kept of the source */
    bool is_signed;
    char from, to; /* w or l; h for a 16-bit register */
    exec_handler *run;
};

static const struct widening widenings[] = {
    {8, false, 'w', 'w', u8_w},
    {8, true, 'w', 'w', s8_w},
    {8, true, 'w', 'h', s8_h},
    {8, false, 'w', 'h', u8_w},
    {16, false, 'w', 'w', u16_w},
    {16, true, 'w', 'w', s16_w},
    {16, false, 'w', 'h', u16_w},
    {16, true, 'w', 'h', u16_w},
    {32, false, 'w', 'w', sim_run_move32},
    {32, true, 'w', 'w', sim_run_move32},
    {8, false, 'w', 'l', u8_l},
    {8, true, 'w', 'l', s8_l},
    {16, false, 'w', 'l', u16_l},
    {16, true, 'w', 'l', s16_l},
    {32, false, 'w', 'l', u32_l},
    {32, true, 'w', 'l', s32_l},
    {8, false, 'l', 'w', l_u8},
    {16, false, 'l', 'w', l_u16},
    {16, false, 'l', 'h', l_u16},
    {16, true, 'l', 'h', l_u16},
    {32, false, 'l', 'w', l_u32},
    {32, true, 'l', 'w', l_u32},
    {64, false, 'l', 'l', sim_run_move64},
    {64, true, 'l', 'l', sim_run_move64},
};

/* Without .sat the narrower of the two types says which bits are kept and whether they are extended
 * by their sign. */
static exec_handler *find_widening(const struct convert_text *text, char from, char to)
{
    const size_t source = ptx_type_size(text->from), result = ptx_type_size(text->to);
    const enum ptx_type kept = source <= result ? text->from : text->to;
    for (size_t i = 0; i < sizeof widenings / sizeof widenings[0]; i++)
        if (widenings[i].bits == ptx_type_size(kept) * 8 &&
            widenings[i].is_signed == is_signed(kept) && widenings[i].from == from &&
            widenings[i].to == to)
            return widenings[i].run;
    return NULL;
}

/* ---- Decoding ---- */

static struct convert_text read_text(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    static const char *const integer_roundings[] = {"rni", "rzi", "rmi", "rpi"};
    struct convert_text text = {.rounding = ROUND_NEAREST};
    const int types = source->part_count - 2;
    if (types < 1)
        sim_refuse_opcode(decoder, source);
    text.to = ptx_part_type(source->parts[types]);
    text.from = ptx_part_type(source->parts[types + 1]);
    for (int i = 1; i < types; i++) {
        const char *const part = source->parts[i];
        bool is_known = false;
        for (int k = 0; k < 4; k++) {
            const bool is_integral = strcmp(part, integer_roundings[k]) == 0;
            if (!is_integral && strcmp(part, roundings[k]) != 0)
                continue;
            text.rounding = (enum rounding)k;
            text.is_integral = is_integral;
            is_known = true;
        }
        text.ftz = text.ftz || strcmp(part, "ftz") == 0;
        text.sat = text.sat || strcmp(part, "sat") == 0;
        text.relu = text.relu || strcmp(part, "relu") == 0;
        if (!is_known && strcmp(part, "ftz") != 0 && strcmp(part, "sat") != 0 &&
            strcmp(part, "relu") != 0)
            sim_refuse_opcode(decoder, source);
    }
    if (text.to == PTX_NONE || text.from == PTX_NONE)
        sim_refuse_opcode(decoder, source);
    return text;
}

/* Class of an operand's register; for an immediate, the class that its type needs. */
static char class_of(const struct decoder *decoder, const struct ptx_operand *operand,
                     enum ptx_type type)
{
    const char class = sim_register_class(decoder, operand);
    return class ? class : ptx_type_size(type) == 8 ? 'l' : 'w';
}

static void decode_cvt(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct rule *const rule = sim_find_rule(float_rules, source->opcode);
    if (rule) {
        sim_emit_rule(decoder, source, rule);
        return;
    }
    if (sim_decode_narrow(decoder, source))
        return;
    const struct convert_text text = read_text(decoder, source);
    if (source->operand_count == 3) {
        sim_decode_pair_conversion(decoder, source, &text);
        return;
    }
    const struct ptx_operand *const to = sim_operand(decoder, source, 0);
    const struct ptx_operand *const from = sim_operand(decoder, source, 1);
    const char to_class = class_of(decoder, to, text.to);
    const char from_class = class_of(decoder, from, text.from);
    const bool is_short = ptx_type_size(sim_register_type(decoder, to)) == 2;
    exec_handler *run = NULL;
    if (is_integer(text.to) && is_integer(text.from) && !text.sat)
        run = find_widening(&text, from_class, is_short ? 'h' : to_class);
    const int32_t a = sim_source_slot(decoder, source, from, from_class);
    const int32_t d = sim_destination_slot(decoder, source, to, to_class);
    const void *const extra =
        run ? NULL : sim_new_conversion(decoder, source, &text, from_class, to_class, is_short);
    struct instruction *const emitted = sim_emit(decoder, source, run ? run : sim_run_conversion);
    emitted->d = d;
    emitted->a = a;
    emitted->extra = extra;
}

const struct family sim_convert_families[] = {
    {PTX_OP_cvt, decode_cvt},
    {PTX_OP_UNKNOWN, NULL},
};
