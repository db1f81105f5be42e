/* Comparisons and selections: setp, set, selp, slct. */
#pragma GCC optimize("no-trapping-math")

#include "arithmetic.h"
#include "rounding.h"

#include "sim/machine/lanes.h"

#include <math.h>
#include <string.h>

typedef uint32_t compare_lanes(const struct warp *warp, int32_t a, int32_t b);

/* How the comparison is combined with a predicate c. */
enum { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

static inline float flush(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

/* Each comparison as a function for the general forms, and as the handler of plain setp. */
#define COMPARISON(name, LANE, expression)                                                         \
    static uint32_t compare_##name(const struct warp *warp, int32_t a_offset, int32_t b_offset)    \
    {                                                                                              \
        return COMPARE_LANES(LANE, a_offset, b_offset, expression);                                \
    }                                                                                              \
    static const struct instruction *setp_##name(struct warp *warp, const struct instruction *at)  \
    {                                                                                              \
        sim_set_predicate(warp, at->d, COMPARE_LANES(LANE, at->a, at->b, expression));             \
        return at + 1;                                                                             \
    }
#define ORDER_COMPARISONS(suffix, LANE, CAST)                                                      \
    COMPARISON(eq_##suffix, LANE, (CAST)a == (CAST)b)                                              \
    COMPARISON(ne_##suffix, LANE, (CAST)a != (CAST)b)                                              \
    COMPARISON(lt_##suffix, LANE, (CAST)a < (CAST)b)                                               \
    COMPARISON(le_##suffix, LANE, (CAST)a <= (CAST)b)                                              \
    COMPARISON(gt_##suffix, LANE, (CAST)a > (CAST)b)                                               \
    COMPARISON(ge_##suffix, LANE, (CAST)a >= (CAST)b)
#define FLOAT_COMPARISONS(suffix, LANE, CAST)                                                      \
    COMPARISON(eq_##suffix, LANE, CAST(a) == CAST(b))                                              \
    COMPARISON(ne_##suffix, LANE, CAST(a) < CAST(b) || CAST(a) > CAST(b))                          \
    COMPARISON(lt_##suffix, LANE, CAST(a) < CAST(b))                                               \
    COMPARISON(le_##suffix, LANE, CAST(a) <= CAST(b))                                              \
    COMPARISON(gt_##suffix, LANE, CAST(a) > CAST(b))                                               \
    COMPARISON(ge_##suffix, LANE, CAST(a) >= CAST(b))                                              \
    COMPARISON(equ_##suffix, LANE, !(CAST(a) < CAST(b) || CAST(a) > CAST(b)))                      \
    COMPARISON(neu_##suffix, LANE, CAST(a) != CAST(b))                                             \
    COMPARISON(ltu_##suffix, LANE, !(CAST(a) >= CAST(b)))                                          \
    COMPARISON(leu_##suffix, LANE, !(CAST(a) > CAST(b)))                                           \
    COMPARISON(gtu_##suffix, LANE, !(CAST(a) <= CAST(b)))                                          \
    COMPARISON(geu_##suffix, LANE, !(CAST(a) < CAST(b)))                                           \
    COMPARISON(num_##suffix, LANE, a == a && b == b)                                               \
    COMPARISON(nan_##suffix, LANE, a != a || b != b)

ORDER_COMPARISONS(u16, uint32_t, uint16_t)
ORDER_COMPARISONS(s16, uint32_t, int16_t)
ORDER_COMPARISONS(u32, uint32_t, uint32_t)
ORDER_COMPARISONS(s32, int32_t, int32_t)
ORDER_COMPARISONS(u64, uint64_t, uint64_t)
ORDER_COMPARISONS(s64, int64_t, int64_t)
FLOAT_COMPARISONS(f32, float, )
FLOAT_COMPARISONS(f32_ftz, float, flush)
FLOAT_COMPARISONS(f64, double, )

struct comparison {
    const char *name; /* such as "lt_s32" */
    compare_lanes *compare;
    exec_handler *setp;
};

#define ENTRY(name)                                                                                \
    {                                                                                              \
#name, compare_##name, setp_##name                                                         \
    }
#define ORDER_ENTRIES(suffix)                                                                      \
    ENTRY(eq_##suffix), ENTRY(ne_##suffix), ENTRY(lt_##suffix), ENTRY(le_##suffix),                \
        ENTRY(gt_##suffix), ENTRY(ge_##suffix)
#define FLOAT_ENTRIES(suffix)                                                                      \
    ORDER_ENTRIES(suffix), ENTRY(equ_##suffix), ENTRY(neu_##suffix), ENTRY(ltu_##suffix),          \
        ENTRY(leu_##suffix), ENTRY(gtu_##suffix), ENTRY(geu_##suffix), ENTRY(num_##suffix),        \
        ENTRY(nan_##suffix)

static const struct comparison comparisons[] = {
    ORDER_ENTRIES(u16), ORDER_ENTRIES(s16),     ORDER_ENTRIES(u32),
    ORDER_ENTRIES(s32), ORDER_ENTRIES(u64),     ORDER_ENTRIES(s64),
    FLOAT_ENTRIES(f32), FLOAT_ENTRIES(f32_ftz), FLOAT_ENTRIES(f64),
};

/* ---- General forms ---- */

struct combined {
    compare_lanes *compare;
    int combine;
    int32_t complement; /* predicate q of p|q; -1: none */
    bool is_float;      /* set writes 1.0f instead of all ones */
};

static uint32_t combine(int how, uint32_t a, uint32_t c)
{
    return how == COMBINE_AND ? a & c : how == COMBINE_OR ? a | c : how == COMBINE_XOR ? a ^ c : a;
}

static uint32_t evaluate(const struct warp *warp, const struct instruction *at, bool complement)
{
    const struct combined *const combined = at->extra;
    uint32_t result = combined->compare(warp, at->a, at->b);
    if (complement)
        result = ~result;
    if (combined->combine == COMBINE_NONE)
        return result;
    return combine(combined->combine, result,
                   sim_predicate(warp, at->c, at->flags & FLAG_NEGATE_C));
}

static const struct instruction *run_setp(struct warp *warp, const struct instruction *at)
{
    const struct combined *const combined = at->extra;
    const uint32_t p = evaluate(warp, at, false), q = evaluate(warp, at, true);
    sim_set_predicate(warp, at->d, p);
    if (combined->complement >= 0)
        sim_set_predicate(warp, combined->complement, q);
    return at + 1;
}

static const struct instruction *run_set(struct warp *warp, const struct instruction *at)
{
    const struct combined *const combined = at->extra;
    const uint32_t mask = evaluate(warp, at, false);
    const uint32_t truth = combined->is_float ? 0x3f800000 : UINT32_MAX;
    uint32_t slot[WARP_LANES];
    EACH_LANE slot[lane] = mask >> lane & 1 ? truth : 0;
    sim_write32(warp, at->d, slot);
    return at + 1;
}

/* ---- Decoding ---- */

struct compare_text {
    const char *op;
    int combine;
    bool ftz;
    enum ptx_type types[2];
    int type_count;
};

static struct compare_text read_text(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const combinations[] = {"", "and", "or", "xor"};
    struct compare_text text = {0};
    for (int i = 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        const enum ptx_type type = ptx_part_type(part);
        bool is_known = i == 1;
        if (i == 1)
            text.op = part;
        for (int k = COMBINE_AND; k <= COMBINE_XOR && i > 1; k++) {
            if (strcmp(part, combinations[k]) == 0) {
                text.combine = k;
                is_known = true;
            }
        }
        if (strcmp(part, "ftz") == 0)
            text.ftz = is_known = true;
        if (type != PTX_NONE && text.type_count < 2) {
            text.types[text.type_count++] = type;
            is_known = true;
        }
        if (!is_known)
            sim_refuse_opcode(decoder, source);
    }
    return text;
}

/* lo, ls, hi, hs are lt, le, gt, ge of unsigned values; bits compare as unsigned. */
static const struct comparison *find_comparison(struct decoder *decoder,
                                                const struct ptx_instruction *source,
                                                const struct compare_text *text, enum ptx_type type)
{
    static const char *const unsigned_names[][2] = {
        {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
    const char *op = text->op ? text->op : "";
    const char *type_name = type == PTX_B16   ? "u16"
                            : type == PTX_B32 ? "u32"
                            : type == PTX_B64 ? "u64"
                                              : source->parts[source->part_count - 1];
    char name[32];
    for (int i = 0; i < 4; i++)
        if (strcmp(op, unsigned_names[i][0]) == 0)
            op = unsigned_names[i][1];
    snprintf(name, sizeof name, "%s_%s%s", op, type_name, text->ftz ? "_ftz" : "");
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        if (strcmp(comparisons[i].name, name) == 0)
            return &comparisons[i];
    sim_refuse_opcode(decoder, source);
}

static char kind_of(enum ptx_type type)
{
    return ptx_type_size(type) == 8 ? 'l' : ptx_type_size(type) == 2 ? 'h' : 'w';
}

static void read_operands(struct decoder *decoder, const struct ptx_instruction *source,
                          const struct compare_text *text, enum ptx_type type,
                          struct instruction *decoded)
{
    const int wanted = text->combine == COMBINE_NONE ? 3 : 4;
    if (source->operand_count != wanted)
        sim_refuse(decoder, source, "%s needs %d operands", source->opcode, wanted);
    decoded->a = sim_source_slot(decoder, source, &source->operands[1], kind_of(type));
    decoded->b = sim_source_slot(decoder, source, &source->operands[2], kind_of(type));
    if (text->combine == COMBINE_NONE)
        return;
    decoded->c = sim_source_slot(decoder, source, &source->operands[3], 'p');
    decoded->flags = source->operands[3].negated ? FLAG_NEGATE_C : 0;
}

static void emit_comparison(struct decoder *decoder, const struct ptx_instruction *source,
                            exec_handler *run, const struct instruction *decoded)
{
    struct instruction *const emitted = sim_emit(decoder, source, run);
    emitted->d = decoded->d;
    emitted->a = decoded->a;
    emitted->b = decoded->b;
    emitted->c = decoded->c;
    emitted->flags |= decoded->flags;
    emitted->extra = decoded->extra;
}

static void decode_setp(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (sim_is_half(source)) {
        sim_decode_half(decoder, source);
        return;
    }
    const struct compare_text text = read_text(decoder, source);
    if (text.type_count != 1)
        sim_refuse_opcode(decoder, source);
    const struct comparison *const found = find_comparison(decoder, source, &text, text.types[0]);
    const struct ptx_operand *const to = sim_operand(decoder, source, 0);
    const bool is_pair = to->kind == PTX_OPERAND_PAIR;
    struct instruction decoded = {0};
    read_operands(decoder, source, &text, text.types[0], &decoded);
    decoded.d = sim_destination_slot(decoder, source, is_pair ? &to->elements[0] : to, 'p');
    if (!is_pair && text.combine == COMBINE_NONE) {
        emit_comparison(decoder, source, found->setp, &decoded);
        return;
    }
    struct combined *const combined = sim_decoder_allocate(decoder, sizeof *combined);
    *combined = (struct combined){
        found->compare, text.combine,
        is_pair ? sim_destination_slot(decoder, source, &to->elements[1], 'p') : -1, false};
    decoded.extra = combined;
    emit_comparison(decoder, source, run_setp, &decoded);
}

static void decode_set(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (sim_is_half(source)) {
        sim_decode_half(decoder, source);
        return;
    }
    const struct compare_text text = read_text(decoder, source);
    const enum ptx_type result = text.types[0];
    if (text.type_count != 2 || (result != PTX_U32 && result != PTX_S32 && result != PTX_F32))
        sim_refuse_opcode(decoder, source);
    const struct comparison *const found = find_comparison(decoder, source, &text, text.types[1]);
    struct combined *const combined = sim_decoder_allocate(decoder, sizeof *combined);
    struct instruction decoded = {0};
    read_operands(decoder, source, &text, text.types[1], &decoded);
    decoded.d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    *combined = (struct combined){found->compare, text.combine, -1, result == PTX_F32};
    decoded.extra = combined;
    emit_comparison(decoder, source, run_set, &decoded);
}

const struct family sim_compare_families[] = {
    {PTX_OP_setp, decode_setp},
    {PTX_OP_set, decode_set},
    {PTX_OP_UNKNOWN, NULL},
};

/* ---- Selections ---- */

#define SELECT(name, T)                                                                            \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const a_slot = sim_slot(warp, at->a), *const b_slot = sim_slot(warp, at->b);      \
        const uint32_t p = sim_predicate(warp, at->c, at->flags & FLAG_NEGATE_C);                  \
        LANES_BODY(T, const T a = a_slot[lane]; const T b = b_slot[lane];                          \
                   const T d = p >> lane & 1 ? a : b);                                             \
    }
SELECT(selp32, uint32_t)
SELECT(selp64, uint64_t)

TERNARY(slct32_s32, uint32_t, uint32_t, uint32_t, int32_t, c >= 0 ? a : b)
TERNARY(slct64_s32, uint64_t, uint64_t, uint64_t, int32_t, c >= 0 ? a : b)
TERNARY(slct32_f32, uint32_t, uint32_t, uint32_t, float, c >= 0 ? a : b)
TERNARY(slct64_f32, uint64_t, uint64_t, uint64_t, float, c >= 0 ? a : b)
TERNARY(slct32_ftz, uint32_t, uint32_t, uint32_t, float, flush(c) >= 0 ? a : b)
TERNARY(slct64_ftz, uint64_t, uint64_t, uint64_t, float, flush(c) >= 0 ? a : b)

#define SLCT(type, w, shape)                                                                       \
    {"slct." type ".s32", slct##w##_s32, shape, 0},                                                \
        {"slct." type ".f32", slct##w##_f32, shape, 0},                                            \
    {                                                                                              \
        "slct.ftz." type ".f32", slct##w##_ftz, shape, 0                                           \
    }

const struct rule sim_compare_rules[] = {
    {"selp.b16", selp32, "h=hhp", 0},
    {"selp.u16", selp32, "h=hhp", 0},
    {"selp.s16", selp32, "h=hhp", 0},
    {"selp.b32", selp32, "w=wwp", 0},
    {"selp.u32", selp32, "w=wwp", 0},
    {"selp.s32", selp32, "w=wwp", 0},
    {"selp.f32", selp32, "w=wwp", 0},
    {"selp.b64", selp64, "l=llp", 0},
    {"selp.u64", selp64, "l=llp", 0},
    {"selp.s64", selp64, "l=llp", 0},
    {"selp.f64", selp64, "l=llp", 0},
    SLCT("b16", 32, "h=hhw"),
    SLCT("u16", 32, "h=hhw"),
    SLCT("s16", 32, "h=hhw"),
    SLCT("b32", 32, "w=www"),
    SLCT("u32", 32, "w=www"),
    SLCT("s32", 32, "w=www"),
    SLCT("f32", 32, "w=www"),
    SLCT("b64", 64, "l=llw"),
    SLCT("u64", 64, "l=llw"),
    SLCT("s64", 64, "l=llw"),
    SLCT("f64", 64, "l=llw"),
    {NULL, NULL, NULL, 0},
};
