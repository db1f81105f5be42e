/* Floating-point arithmetic of 32 and 64 bits: add, sub, mul, fma, div, sqrt, rcp, min, max, abs,
 * neg, copysign, testp.
 *
 * Rounding to nearest even is one vector loop. The other roundings set the host's mode
 * (rounding.c). A NaN result of 32 bits is always the hardware's NaN, 0x7fffffff;
 * one of 64 bits that of an operand. */
#pragma GCC optimize("no-math-errno", "no-trapping-math")

#include "rounding.h"

#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <math.h>
#include <string.h>

/* ---- Round to nearest: plain, .ftz, .sat ---- */

/* Each form names a function of the inputs, or none, and one of the result and the inputs. */
#define CANONICAL(value, ...) canonical(value)
#define SATURATED(value, ...) saturated(value)
#define FLOAT_FORMS(DEFINE, name, expression, flushed, WIDE)                                       \
    DEFINE(name##_f32, float, , CANONICAL, expression)                                             \
    DEFINE(name##_f32_ftz, float, flush_to_zero, CANONICAL, flushed)                               \
    DEFINE(name##_f32_sat, float, , SATURATED, expression)                                         \
    DEFINE(name##_f32_ftz_sat, float, flush_to_zero, SATURATED, flushed)                           \
    DEFINE(name##_f64, double, , WIDE, expression)

static inline float saturated(float value)
{
    return value > 1 ? 1 : value > 0 ? value : 0; /* NaN becomes 0 */
}

#define FLOAT_UNARY(name, T, IN, OUT, expression)                                                  \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const a_slot = sim_slot(warp, at->a);                                             \
        LANES_BODY(T, const T a = IN(a_slot[lane]); const T d = OUT(expression, a, a, a));         \
    }
#define FLOAT_BINARY(name, T, IN, OUT, expression)                                                 \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const a_slot = sim_slot(warp, at->a), *const b_slot = sim_slot(warp, at->b);      \
        LANES_BODY(T, const T a = IN(a_slot[lane]); const T b = IN(b_slot[lane]);                  \
                   const T d = OUT(expression, a, b, b));                                          \
    }
#define FLOAT_TERNARY(name, T, IN, OUT, expression)                                                \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const a_slot = sim_slot(warp, at->a), *const b_slot = sim_slot(warp, at->b);      \
        const T *const c_slot = sim_slot(warp, at->c);                                             \
        LANES_BODY(T, const T a = IN(a_slot[lane]); const T b = IN(b_slot[lane]);                  \
                   const T c = IN(c_slot[lane]); const T d = OUT(expression, a, b, c));            \
    }

#define FUSED(a, b, c) _Generic((a), float : fmaf, double : fma)(a, b, c)
#define ROOT(a)        _Generic((a), float : sqrtf, double : sqrt)(a)

FLOAT_FORMS(FLOAT_BINARY, add, a + b, flush_to_zero(a + b), with_nan_of)
FLOAT_FORMS(FLOAT_BINARY, sub, a - b, flush_to_zero(a - b), with_nan_of)
FLOAT_FORMS(FLOAT_BINARY, mul, a *b, flush_result(a *b, (double)a *b, 0, true), with_nan_of)
FLOAT_FORMS(FLOAT_TERNARY, fma, FUSED(a, b, c), flush_result(fmaf(a, b, c), (double)a *b, c, true),
            with_nan_of)
FLOAT_FORMS(FLOAT_BINARY, div, a / b, flush_result(a / b, (double)a / b, 0, true),
            quotient_with_nan)
FLOAT_FORMS(FLOAT_UNARY, sqrt, ROOT(a), flush_to_zero(ROOT(a)), with_nan_of)
FLOAT_FORMS(FLOAT_UNARY, rcp, 1 / a, flush_result(1 / a, 1.0 / a, 0, true), with_nan_of)

struct form {
    exec_handler *plain, *ftz, *sat, *ftz_sat, *wide;
    int operands;
    enum rounded_operation operation;
};

#define FORMS(name) name##_f32, name##_f32_ftz, name##_f32_sat, name##_f32_ftz_sat, name##_f64

static const struct form forms[PTX_OP_COUNT] = {
    [PTX_OP_add] = {FORMS(add), 2, ROUNDED_ADD},    [PTX_OP_sub] = {FORMS(sub), 2, ROUNDED_SUB},
    [PTX_OP_mul] = {FORMS(mul), 2, ROUNDED_MUL},    [PTX_OP_fma] = {FORMS(fma), 3, ROUNDED_FMA},
    [PTX_OP_mad] = {FORMS(fma), 3, ROUNDED_FMA},    [PTX_OP_div] = {FORMS(div), 2, ROUNDED_DIV},
    [PTX_OP_sqrt] = {FORMS(sqrt), 1, ROUNDED_SQRT}, [PTX_OP_rcp] = {FORMS(rcp), 1, ROUNDED_RCP},
};

/* ---- Other roundings ---- */

static const struct instruction *run_rounded32(struct warp *warp, const struct instruction *at)
{
    const struct rounded *const rounded = at->extra;
    float result[WARP_LANES];
    sim_round32(rounded, sim_slot(warp, at->a), sim_slot(warp, at->b), sim_slot(warp, at->c),
                result);
    EACH_LANE
    {
        result[lane] = rounded->sat ? saturated(result[lane]) : canonical(result[lane]);
    }
    sim_write32(warp, at->d, result);
    return at + 1;
}

static const struct instruction *run_rounded64(struct warp *warp, const struct instruction *at)
{
    double result[WARP_LANES];
    sim_round64(at->extra, sim_slot(warp, at->a), sim_slot(warp, at->b), sim_slot(warp, at->c),
                result);
    sim_write64(warp, at->d, result);
    return at + 1;
}

/* ---- min and max ---- */

/* A number wins over a NaN, as extreme() handles .NaN; -0 is less than +0. Of two NaNs the second
 * is taken, made quiet. */
static inline float lesser32(float a, float b)
{
    const float both = a == b ? (signbit(a) ? a : b) : a < b ? a : b;
    return a != a ? b : b != b ? a : both;
}

static inline float greater32(float a, float b)
{
    const float both = a == b ? (signbit(a) ? b : a) : a > b ? a : b;
    return a != a ? b : b != b ? a : both;
}

static inline double quiet(double value)
{
    return with_nan_of(value, value, value, value);
}

static inline double lesser64(double a, double b)
{
    const double both = a == b ? (signbit(a) ? a : b) : a < b ? a : b;
    return a != a ? quiet(b) : b != b ? a : both;
}

static inline double greater64(double a, double b)
{
    const double both = a == b ? (signbit(a) ? b : a) : a > b ? a : b;
    return a != a ? quiet(b) : b != b ? a : both;
}

enum { MINMAX_MAX = 1, MINMAX_FTZ = 2, MINMAX_NAN = 4, MINMAX_XORSIGN = 8, MINMAX_THIRD = 16 };

static float extreme(float a, float b, uint32_t mode)
{
    const bool is_negative = (signbit(a) != 0) != (signbit(b) != 0);
    if (mode & MINMAX_FTZ) {
        a = flush_to_zero(a);
        b = flush_to_zero(b);
    }
    if ((a != a && b != b) || ((mode & MINMAX_NAN) && (a != a || b != b)))
        return hardware_nan();
    if (mode & MINMAX_XORSIGN) {
        a = fabsf(a);
        b = fabsf(b);
    }
    const float result = canonical(mode & MINMAX_MAX ? greater32(a, b) : lesser32(a, b));
    return mode & MINMAX_XORSIGN ? copysignf(result, is_negative ? -1.0f : 1.0f) : result;
}

static const struct instruction *run_extreme(struct warp *warp, const struct instruction *at)
{
    const uint32_t mode = at->flags >> FLAG_MODE_SHIFT;
    const float *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    const float *const c = sim_slot(warp, at->c);
    float result[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++) {
        result[lane] = extreme(a[lane], b[lane], mode);
        if (mode & MINMAX_THIRD)
            result[lane] = extreme(result[lane], c[lane], mode);
    }
    sim_write32(warp, at->d, result);
    return at + 1;
}

BINARY(min_f32, float, float, float, canonical(lesser32(a, b)))
BINARY(max_f32, float, float, float, canonical(greater32(a, b)))
BINARY(min_f32_ftz, float, float, float, canonical(lesser32(flush_to_zero(a), flush_to_zero(b))))
BINARY(max_f32_ftz, float, float, float, canonical(greater32(flush_to_zero(a), flush_to_zero(b))))
BINARY(min_f64, double, double, double, lesser64(a, b))
BINARY(max_f64, double, double, double, greater64(a, b))

/* ---- Signs: of a NaN, neg and abs give what an addition gives, as GPUs execute them ---- */

UNARY(abs_f32, float, float, canonical(fabsf(a)))
UNARY(neg_f32, float, float, canonical(-a))
UNARY(abs_f32_ftz, float, float, canonical(fabsf(flush_to_zero(a))))
UNARY(neg_f32_ftz, float, float, canonical(-flush_to_zero(a)))
UNARY(abs_f64, double, double, a == a ? fabs(a) : quiet(a))
UNARY(neg_f64, double, double, a == a ? -a : quiet(a))
/* copysign d, a, b: the sign of a, the rest of b */
BINARY(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
BINARY(copysign_f64, uint64_t, uint64_t, uint64_t, (a & UINT64_C(1) << 63) | (b & UINT64_MAX >> 1))

/* ---- Classes: zero is normal ---- */

#define CLASS_TEST(name, T, test)                                                                  \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const slot = sim_slot(warp, at->a);                                               \
        uint32_t mask = 0;                                                                         \
        for (int lane = 0; lane < WARP_LANES; lane++) {                                            \
            const T a = slot[lane];                                                                \
            mask |= (test) ? UINT32_C(1) << lane : 0;                                              \
        }                                                                                          \
        sim_set_predicate(warp, at->d, mask);                                                      \
        return at + 1;                                                                             \
    }
#define CLASS_TESTS(type, T)                                                                       \
    CLASS_TEST(finite_##type, T, isfinite(a))                                                      \
    CLASS_TEST(infinite_##type, T, isinf(a))                                                       \
    CLASS_TEST(number_##type, T, !isnan(a))                                                        \
    CLASS_TEST(notanumber_##type, T, isnan(a))                                                     \
    CLASS_TEST(normal_##type, T, isnormal(a) || a == 0)                                            \
    CLASS_TEST(subnormal_##type, T, fpclassify(a) == FP_SUBNORMAL)
CLASS_TESTS(f32, float)
CLASS_TESTS(f64, double)

static const struct rule exact_rules[] = {
    {"min.f32", min_f32, "w=ww", 0},
    {"max.f32", max_f32, "w=ww", 0},
    {"min.ftz.f32", min_f32_ftz, "w=ww", 0},
    {"max.ftz.f32", max_f32_ftz, "w=ww", 0},
    {"min.f64", min_f64, "l=ll", 0},
    {"max.f64", max_f64, "l=ll", 0},
    {"abs.f32", abs_f32, "w=w", 0},
    {"neg.f32", neg_f32, "w=w", 0},
    {"abs.ftz.f32", abs_f32_ftz, "w=w", 0},
    {"neg.ftz.f32", neg_f32_ftz, "w=w", 0},
    {"abs.f64", abs_f64, "l=l", 0},
    {"neg.f64", neg_f64, "l=l", 0},
    {"copysign.f32", copysign_f32, "w=ww", 0},
    {"copysign.f64", copysign_f64, "l=ll", 0},
    {"testp.finite.f32", finite_f32, "p=w", 0},
    {"testp.infinite.f32", infinite_f32, "p=w", 0},
    {"testp.number.f32", number_f32, "p=w", 0},
    {"testp.notanumber.f32", notanumber_f32, "p=w", 0},
    {"testp.normal.f32", normal_f32, "p=w", 0},
    {"testp.subnormal.f32", subnormal_f32, "p=w", 0},
    {"testp.finite.f64", finite_f64, "p=l", 0},
    {"testp.infinite.f64", infinite_f64, "p=l", 0},
    {"testp.number.f64", number_f64, "p=l", 0},
    {"testp.notanumber.f64", notanumber_f64, "p=l", 0},
    {"testp.normal.f64", normal_f64, "p=l", 0},
    {"testp.subnormal.f64", subnormal_f64, "p=l", 0},
    {NULL, NULL, NULL, 0},
};

/* ---- Decoding ---- */

static void decode_rounded(struct decoder *decoder, const struct ptx_instruction *source,
                           const struct form *form, const struct float_text *text,
                           const int32_t *slots, int32_t d)
{
    struct rounded *const rounded = sim_decoder_allocate(decoder, sizeof *rounded);
    *rounded = (struct rounded){form->operation, text->rounding, text->ftz, text->sat};
    struct instruction *const emitted =
        sim_emit(decoder, source, text->type == PTX_F64 ? run_rounded64 : run_rounded32);
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->c = slots[2];
    emitted->extra = rounded;
}

/* op{.rounding}{.ftz}{.sat}.type */
void sim_decode_arithmetic(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (sim_is_half(source)) {
        sim_decode_half(decoder, source);
        return;
    }
    const struct form *const form = &forms[source->operation];
    const struct float_text text = sim_read_float(decoder, source);
    const bool is_wide = text.type == PTX_F64;
    if (!form->plain || text.is_approximate || text.is_full ||
        (is_wide && (text.ftz || text.sat)) || (!is_wide && text.type != PTX_F32))
        sim_refuse_opcode(decoder, source);
    if (source->operand_count != form->operands + 1)
        sim_refuse(decoder, source, "%s needs %d operands", source->opcode, form->operands + 1);
    const char kind = is_wide ? 'l' : 'w';
    int32_t slots[3] = {0};
    for (int i = 0; i < form->operands; i++)
        slots[i] = sim_source_slot(decoder, source, &source->operands[i + 1], kind);
    const int32_t d = sim_destination_slot(decoder, source, &source->operands[0], kind);
    if (text.rounding != ROUND_NEAREST) {
        decode_rounded(decoder, source, form, &text, slots, d);
        return;
    }
    struct instruction *const emitted = sim_emit(decoder, source,
                                                 is_wide                ? form->wide
                                                 : text.ftz && text.sat ? form->ftz_sat
                                                 : text.ftz             ? form->ftz
                                                 : text.sat             ? form->sat
                                                                        : form->plain);
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->c = slots[2];
}

static void decode_extreme(struct decoder *decoder, const struct ptx_instruction *source)
{
    uint32_t mode = source->operation == PTX_OP_max ? MINMAX_MAX : 0;
    for (int i = 1; i < source->part_count - 1; i++) {
        const char *const part = source->parts[i];
        if (strcmp(part, "ftz") == 0)
            mode |= MINMAX_FTZ;
        else if (strcmp(part, "NaN") == 0)
            mode |= MINMAX_NAN;
        else if (strcmp(part, "xorsign") == 0)
            mode |= MINMAX_XORSIGN;
        else if (strcmp(part, "abs") != 0 || !(mode & MINMAX_XORSIGN))
            sim_refuse_opcode(decoder, source);
    }
    if (strcmp(source->parts[source->part_count - 1], "f32") != 0)
        sim_refuse_opcode(decoder, source);
    const bool has_third = source->operand_count == 4;
    const struct rule rule = {source->opcode, run_extreme, has_third ? "w=www" : "w=ww",
                              mode | (has_third ? MINMAX_THIRD : 0)};
    sim_emit_rule(decoder, source, &rule);
}

static void decode_exact(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct rule *const rule = sim_find_rule(exact_rules, source->opcode);
    const bool is_extreme = source->operation == PTX_OP_min || source->operation == PTX_OP_max;
    if (sim_is_half(source))
        sim_decode_half(decoder, source);
    else if (rule && source->operand_count <= 3)
        sim_emit_rule(decoder, source, rule);
    else if (is_extreme)
        decode_extreme(decoder, source);
    else
        sim_refuse_opcode(decoder, source);
}

const struct family sim_float_families[] = {
    {PTX_OP_add, sim_decode_arithmetic}, {PTX_OP_sub, sim_decode_arithmetic},
    {PTX_OP_mul, sim_decode_arithmetic}, {PTX_OP_fma, sim_decode_arithmetic},
    {PTX_OP_mad, sim_decode_arithmetic}, {PTX_OP_min, decode_exact},
    {PTX_OP_max, decode_exact},          {PTX_OP_abs, decode_exact},
    {PTX_OP_neg, decode_exact},          {PTX_OP_copysign, decode_exact},
    {PTX_OP_testp, decode_exact},        {PTX_OP_UNKNOWN, NULL},
};
