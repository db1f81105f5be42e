/* Arithmetic and comparison of f16, bf16 and pairs of them: computed in double, rounded once. */
#include "rounding.h"

#include "sim/decoding/decode.h"
#include "sim/machine/lanes.h"

#include <math.h>
#include <string.h>

/* ---- Operations ---- */

enum operation {
    HALF_ADD,
    HALF_SUB,
    HALF_MUL,
    HALF_FMA,
    HALF_MIN,
    HALF_MAX,
    HALF_NEG,
    HALF_ABS,
    HALF_EX2,
    HALF_TANH
};

struct half {
    enum operation operation;
    bool is_bf16, is_pair, sat, relu, flushes, keeps_nan;
    const char *compare;
    int combine;    /* of setp and set: 0 none, 1 and, 2 or, 3 xor */
    uint32_t truth; /* of set: the value of each half of the result where the comparison holds */
    int32_t second; /* predicate q of setp p|q */
};

/* a * b + c, where an inexact result has the last bit of the double set: then the rounding to 16
 * bits that follows gives the same result as a single rounding. */
static double fused(double a, double b, double c)
{
    const double product = a * b, sum = product + c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || error != error || bits & 1)
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

static double extreme(const struct half *half, double a, double b)
{
    if (half->keeps_nan && (a != a || b != b))
        return NAN;
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return (signbit(a) != 0) == (half->operation == HALF_MIN) ? a : b;
    return (a < b) == (half->operation == HALF_MIN) ? a : b;
}

static double evaluate(const struct half *half, double a, double b, double c)
{
    switch (half->operation) {
    case HALF_ADD:
        return a + b;
    case HALF_SUB:
        return a - b;
    case HALF_MUL:
        return a * b;
    case HALF_FMA:
        return fused(a, b, c);
    case HALF_MIN:
    case HALF_MAX:
        return extreme(half, a, b);
    case HALF_NEG:
        return -a;
    case HALF_ABS:
        return fabs(a);
    case HALF_EX2:
        return exp2(a);
    default:
        return tanh(a);
    }
}

static uint32_t flushed(const struct half *half, uint32_t bits)
{
    const uint32_t exponent = half->is_bf16 ? 0x7f80 : 0x7c00;
    return half->flushes && !(bits & exponent) ? bits & 0x8000 : bits;
}

/* .ftz makes a result zero if it is tiny when rounded to 11 bits: see flush_result(). */
static uint32_t operate(const struct half *half, uint32_t a, uint32_t b, uint32_t c)
{
    const bool is_bf16 = half->is_bf16;
    double value = evaluate(half, sim_half_value(flushed(half, a), is_bf16),
                            sim_half_value(flushed(half, b), is_bf16),
                            sim_half_value(flushed(half, c), is_bf16));
    if (half->sat)
        value = value > 1 ? 1 : value > 0 ? value : 0;
    if (half->relu && value == value)
        value = value > 0 ? value : 0;
    const uint32_t bits = sim_half_bits(value, is_bf16);
    return half->flushes && fabs(value) < 0x1p-14 - 0x1p-26 ? bits & 0x8000 : bits;
}

static const struct instruction *run_half(struct warp *warp, const struct instruction *at)
{
    const struct half *const half = at->extra;
    const uint32_t *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    const uint32_t *const c = sim_slot(warp, at->c);
    uint32_t slot[WARP_LANES] = {0};
    EACH_ACTIVE(lane, warp->active)
    {
        slot[lane] = operate(half, a[lane] & 0xffff, b[lane] & 0xffff, c[lane] & 0xffff);
        if (half->is_pair)
            slot[lane] |= operate(half, a[lane] >> 16, b[lane] >> 16, c[lane] >> 16) << 16;
    }
    sim_write32(warp, at->d, slot);
    return at + 1;
}

/* ---- Comparison ---- */

static bool holds(const struct half *half, uint32_t a_bits, uint32_t b_bits)
{
    const double a = sim_half_value(flushed(half, a_bits), half->is_bf16);
    const double b = sim_half_value(flushed(half, b_bits), half->is_bf16);
    const bool is_unordered = a != a || b != b;
    const char *const op = half->compare;
    if (strcmp(op, "num") == 0 || strcmp(op, "nan") == 0)
        return is_unordered == (op[1] == 'a');
    if (is_unordered)
        return op[2] == 'u';
    switch (op[0]) {
    case 'e':
        return a == b;
    case 'n':
        return a != b;
    case 'l':
        return op[1] == 't' ? a < b : a <= b;
    default:
        return op[1] == 't' ? a > b : a >= b;
    }
}

static uint32_t combined(const struct warp *warp, const struct instruction *at, uint32_t mask)
{
    const struct half *const half = at->extra;
    if (half->combine == 0)
        return mask;
    const uint32_t c = sim_predicate(warp, at->c, at->flags & FLAG_NEGATE_C);
    return half->combine == 1 ? mask & c : half->combine == 2 ? mask | c : mask ^ c;
}

/* Lanes where the comparison of the lower or the upper halves holds. */
static uint32_t compared(const struct warp *warp, const struct instruction *at, unsigned shift)
{
    const uint32_t *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    uint32_t mask = 0;
    EACH_ACTIVE(lane, warp->active)
    mask |= holds(at->extra, a[lane] >> shift & 0xffff, b[lane] >> shift & 0xffff) ? 1u << lane : 0;
    return mask;
}

static const struct instruction *run_half_setp(struct warp *warp, const struct instruction *at)
{
    const struct half *const half = at->extra;
    const uint32_t low = compared(warp, at, 0);
    const uint32_t other = half->is_pair ? compared(warp, at, 16) : ~low;
    const uint32_t p = combined(warp, at, low), q = combined(warp, at, other);
    sim_set_predicate(warp, at->d, p);
    if (half->second >= 0)
        sim_set_predicate(warp, half->second, q);
    return at + 1;
}

static const struct instruction *run_half_set(struct warp *warp, const struct instruction *at)
{
    const struct half *const half = at->extra;
    const uint32_t low = combined(warp, at, compared(warp, at, 0));
    const uint32_t high = half->is_pair ? combined(warp, at, compared(warp, at, 16)) : 0;
    uint32_t slot[WARP_LANES];
    EACH_LANE slot[lane] =
        (low >> lane & 1 ? half->truth : 0) | (high >> lane & 1 ? half->truth << 16 : 0);
    sim_write32(warp, at->d, slot);
    return at + 1;
}

/* ---- Decoding ---- */

static bool is_half_type(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

bool sim_is_half(const struct ptx_instruction *source)
{
    return is_half_type(ptx_part_type(source->parts[source->part_count - 1]));
}

/* Reads the modifiers: parts `first` to `last` - 1. */
static void read_modifiers(struct decoder *decoder, const struct ptx_instruction *source, int first,
                           int last, struct half *half)
{
    static const char *const combinations[] = {"", "and", "or", "xor"};
    for (int i = first; i < last; i++) {
        const char *const part = source->parts[i];
        bool is_known = strcmp(part, "rn") == 0 || strcmp(part, "approx") == 0;
        const struct {
            const char *name;
            bool *flag;
        } flags[] = {{"sat", &half->sat},
                     {"relu", &half->relu},
                     {"ftz", &half->flushes},
                     {"NaN", &half->keeps_nan}};
        for (int k = 0; k < 4; k++)
            if (strcmp(part, flags[k].name) == 0)
                *flags[k].flag = is_known = true;
        for (int k = 1; k < 4; k++) {
            if (half->compare && strcmp(part, combinations[k]) == 0) {
                half->combine = k;
                is_known = true;
            }
        }
        if (!is_known)
            sim_refuse_opcode(decoder, source);
    }
}

static void decode_half_compare(struct decoder *decoder, const struct ptx_instruction *source,
                                struct half *half)
{
    static const char *const compares[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                           "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const bool is_set = source->operation == PTX_OP_set;
    const int types = source->part_count - (is_set ? 2 : 1);
    const enum ptx_type result = ptx_part_type(source->parts[types]);
    for (size_t i = 0; i < sizeof compares / sizeof compares[0] && types > 1; i++)
        if (strcmp(compares[i], source->parts[1]) == 0)
            half->compare = compares[i];
    if (!half->compare)
        sim_refuse_opcode(decoder, source);
    read_modifiers(decoder, source, 2, types, half);
    if (source->operand_count != (half->combine ? 4 : 3))
        sim_refuse_opcode(decoder, source);
    half->truth = !is_half_type(result) ? 0xffff : half->is_bf16 ? 0x3f80 : 0x3c00;
    if (!half->is_pair && (result == PTX_U32 || result == PTX_S32))
        half->truth = UINT32_MAX;
    const struct ptx_operand *const to = &source->operands[0];
    const bool has_two = to->kind == PTX_OPERAND_PAIR;
    const char kind = half->is_pair ? 'w' : 'h';
    const int32_t a = sim_source_slot(decoder, source, &source->operands[1], kind);
    const int32_t b = sim_source_slot(decoder, source, &source->operands[2], kind);
    const int32_t c =
        half->combine ? sim_source_slot(decoder, source, &source->operands[3], 'p') : 0;
    const int32_t d =
        sim_destination_slot(decoder, source, has_two ? &to->elements[0] : to, is_set ? 'w' : 'p');
    half->second = has_two ? sim_destination_slot(decoder, source, &to->elements[1], 'p') : -1;
    struct instruction *const emitted =
        sim_emit(decoder, source, is_set ? run_half_set : run_half_setp);
    emitted->d = d;
    emitted->a = a;
    emitted->b = b;
    emitted->c = c;
    emitted->extra = half;
    if (half->combine && source->operands[3].negated)
        emitted->flags |= FLAG_NEGATE_C;
}

void sim_decode_half(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const struct {
        enum operation operation;
        const char *shape;
    } operations[PTX_OP_COUNT] = {
        [PTX_OP_add] = {HALF_ADD, "w=ww"}, [PTX_OP_sub] = {HALF_SUB, "w=ww"},
        [PTX_OP_mul] = {HALF_MUL, "w=ww"}, [PTX_OP_fma] = {HALF_FMA, "w=www"},
        [PTX_OP_min] = {HALF_MIN, "w=ww"}, [PTX_OP_max] = {HALF_MAX, "w=ww"},
        [PTX_OP_neg] = {HALF_NEG, "w=w"},  [PTX_OP_abs] = {HALF_ABS, "w=w"},
        [PTX_OP_ex2] = {HALF_EX2, "w=w"},  [PTX_OP_tanh] = {HALF_TANH, "w=w"}};
    const enum ptx_type type = ptx_part_type(source->parts[source->part_count - 1]);
    struct half *const half = sim_decoder_allocate(decoder, sizeof *half);
    half->is_bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    half->is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    if (source->operation == PTX_OP_setp || source->operation == PTX_OP_set) {
        decode_half_compare(decoder, source, half);
        return;
    }
    const struct rule rule = {source->opcode, run_half, operations[source->operation].shape, 0};
    half->operation = operations[source->operation].operation;
    if (!rule.shape)
        sim_refuse_opcode(decoder, source);
    read_modifiers(decoder, source, 1, source->part_count - 1, half);
    sim_emit_rule(decoder, source, &rule)->extra = half;
}
