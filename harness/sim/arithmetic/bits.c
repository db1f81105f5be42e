/* Logic, shifts, and everything that looks at or moves single bits and bytes. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <string.h>

BINARY(and32, uint32_t, uint32_t, uint32_t, a &b)
BINARY(and64, uint64_t, uint64_t, uint64_t, a &b)
BINARY(or32, uint32_t, uint32_t, uint32_t, a | b)
BINARY(or64, uint64_t, uint64_t, uint64_t, a | b)
BINARY(xor32, uint32_t, uint32_t, uint32_t, a ^ b)
BINARY(xor64, uint64_t, uint64_t, uint64_t, a ^ b)
UNARY(not16, uint32_t, uint32_t, (uint16_t)~a)
UNARY(not32, uint32_t, uint32_t, ~a)
UNARY(not64, uint64_t, uint64_t, ~a)
UNARY(cnot16, uint32_t, uint32_t, (uint16_t)a == 0)
UNARY(cnot32, uint32_t, uint32_t, a == 0)
UNARY(cnot64, uint64_t, uint64_t, a == 0)

/* A shift by the width or more gives 0, or copies of the sign. */
BINARY(shl16, uint32_t, uint32_t, uint32_t, b > 15 ? 0 : (uint16_t)(a << (b & 15)))
BINARY(shl32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
BINARY(shl64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a << (b & 63))
BINARY(shr_u16, uint32_t, uint32_t, uint32_t, b > 15 ? 0 : (uint16_t)a >> (b & 15))
BINARY(shr_u32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
BINARY(shr_u64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a >> (b & 63))
BINARY(shr_s16, uint32_t, uint32_t, uint32_t, (uint16_t)((int16_t)a >> (b > 15 ? 15 : b)))
BINARY(shr_s32, int32_t, int32_t, uint32_t, a >> (b > 31 ? 31 : b))
BINARY(shr_s64, int64_t, int64_t, uint32_t, a >> (b > 63 ? 63 : b))

/* Funnel shifts of b:a. */
#define WIDE(a, b) ((uint64_t)(b) << 32 | (a))
TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, WIDE(a, b) << (c > 32 ? 32 : c) >> 32)
TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, WIDE(a, b) << (c & 31) >> 32)
TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, WIDE(a, b) >> (c > 32 ? 32 : c))
TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, WIDE(a, b) >> (c & 31))

UNARY(popc32, uint32_t, uint32_t, __builtin_popcount(a))
UNARY(popc64, uint32_t, uint64_t, __builtin_popcountll(a))
UNARY(clz32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
UNARY(clz64, uint32_t, uint64_t, a ? __builtin_clzll(a) : 64)

static inline uint32_t highest32(uint32_t a)
{
    return a ? 31 - (uint32_t)__builtin_clz(a) : UINT32_MAX;
}

static inline uint32_t highest64(uint64_t a)
{
    return a ? 63 - (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

/* .shiftamt: how far to shift left to bring the bit that was found to the top. */
static inline uint32_t distance(uint32_t position, uint32_t top)
{
    return position == UINT32_MAX ? UINT32_MAX : top - position;
}

#define SIGNLESS(a) ((a) < 0 ? ~(a) : (a))
UNARY(bfind_u32, uint32_t, uint32_t, highest32(a))
UNARY(bfind_s32, uint32_t, int32_t, highest32((uint32_t)SIGNLESS(a)))
UNARY(bfind_u64, uint32_t, uint64_t, highest64(a))
UNARY(bfind_s64, uint32_t, int64_t, highest64((uint64_t)SIGNLESS(a)))
UNARY(bfind_shift_u32, uint32_t, uint32_t, distance(highest32(a), 31))
UNARY(bfind_shift_s32, uint32_t, int32_t, distance(highest32((uint32_t)SIGNLESS(a)), 31))
UNARY(bfind_shift_u64, uint32_t, uint64_t, distance(highest64(a), 63))
UNARY(bfind_shift_s64, uint32_t, int64_t, distance(highest64((uint64_t)SIGNLESS(a)), 63))

static inline uint32_t reverse32(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

UNARY(brev32, uint32_t, uint32_t, reverse32(a))
UNARY(brev64, uint64_t, uint64_t,
      (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))

/* ---- Bit fields: a position and a length of 8 bits each; more is undefined, and an H200 takes no
 * more for fields of 32 bits, but all for those of 64 ---- */

static inline uint32_t extract_u32(uint32_t a, uint32_t position, uint32_t length)
{
    const uint32_t shifted = position > 31 ? 0 : a >> (position & 31);
    return length > 31 ? shifted : shifted & ((1u << (length & 31)) - 1);
}

static inline uint64_t extract_u64(uint64_t a, uint32_t position, uint32_t length)
{
    const uint64_t shifted = position > 63 ? 0 : a >> (position & 63);
    return length > 63 ? shifted : shifted & ((UINT64_C(1) << (length & 63)) - 1);
}

static inline int32_t extract_s32(int32_t a, uint32_t position, uint32_t length)
{
    const int32_t shifted = a >> (position > 31 ? 31 : position);
    const uint32_t unused = length > 31 ? 0 : 32 - length;
    return length == 0 ? 0 : (int32_t)((uint32_t)shifted << (unused & 31)) >> (unused & 31);
}

static inline int64_t extract_s64(int64_t a, uint32_t position, uint32_t length)
{
    const int64_t shifted = a >> (position > 63 ? 63 : position);
    const uint32_t unused = length > 63 ? 0 : 64 - length;
    return length == 0 ? 0 : (int64_t)((uint64_t)shifted << (unused & 63)) >> (unused & 63);
}

TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract_u32(a, b & 255, c & 255))
TERNARY(bfe_s32, int32_t, int32_t, uint32_t, uint32_t, extract_s32(a, b & 255, c & 255))
TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract_u64(a, b, c))
TERNARY(bfe_s64, int64_t, int64_t, uint32_t, uint32_t, extract_s64(a, b, c))

static inline uint64_t field_mask(uint32_t position, uint32_t length)
{
    const uint64_t ones = length > 63 ? UINT64_MAX : (UINT64_C(1) << (length & 63)) - 1;
    return position > 63 ? 0 : ones << (position & 63);
}

/* bfi: a goes into b at position c with length e (the fourth operand). */
#define INSERT(name, T, used)                                                                      \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const T *const a_slot = sim_slot(warp, at->a), *const b_slot = sim_slot(warp, at->b);      \
        const uint32_t *const c_slot = sim_slot(warp, at->c);                                      \
        const uint32_t *const e_slot = sim_slot(warp, (int32_t)at->value);                         \
        LANES_BODY(T, const T mask = (T)field_mask(c_slot[lane] & (used), e_slot[lane] & (used));  \
                   const T moved = (T)((c_slot[lane] & (used)) > 63                                \
                                           ? 0                                                     \
                                           : (uint64_t)a_slot[lane] << (c_slot[lane] & 63));       \
                   const T d = (b_slot[lane] & ~mask) | (moved & mask));                           \
    }
INSERT(bfi32, uint32_t, 255)
INSERT(bfi64, uint64_t, UINT32_MAX)

/* fns: the position of the n-th set bit from `base` up (n > 0) or down (n < 0). */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    if (n == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    int position = (int)(base & 31);
    const int step = n < 0 ? -1 : 1;
    int64_t left = n < 0 ? -(int64_t)n : n;
    for (; position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) && --left == 0)
            return (uint32_t)position;
    return UINT32_MAX;
}

TERNARY(fns32, uint32_t, uint32_t, uint32_t, int32_t, find_nth_set(a, b, c))

static inline uint32_t shift_clear(uint32_t a, uint32_t by)
{
    return by > 31 ? 0 : a << (by & 31);
}

BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, shift_clear(~shift_clear(UINT32_MAX, b), a))
BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, ~(UINT32_MAX << (b & 31)) << (a & 31))

static inline uint32_t extend(uint32_t a, uint32_t bits, bool is_signed)
{
    const uint32_t kept = shift_clear(1, bits) - 1;
    if (bits > 31)
        return a;
    return is_signed && bits > 0 && (a >> (bits - 1) & 1) ? a | ~kept : a & kept;
}

BINARY(szext_clamp_u32, uint32_t, uint32_t, uint32_t, extend(a, b, false))
BINARY(szext_clamp_s32, uint32_t, uint32_t, uint32_t, extend(a, b, true))
BINARY(szext_wrap_u32, uint32_t, uint32_t, uint32_t, extend(a, b & 31, false))
BINARY(szext_wrap_s32, uint32_t, uint32_t, uint32_t, extend(a, b & 31, true))

/* ---- prmt: bytes of b:a picked by selectors ---- */

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
    const uint64_t bytes = WIDE(a, b);
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t selector = selectors >> (4 * i) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 0xff;
        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

TERNARY(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))

/* The named modes pick one of four selections by the low two bits of c. */
#define PRMT_MODE(name, s0, s1, s2, s3)                                                            \
    static inline uint32_t name##_selectors(uint32_t c)                                            \
    {                                                                                              \
        return (c & 3) == 0 ? s0 : (c & 3) == 1 ? s1 : (c & 3) == 2 ? s2 : s3;                     \
    }                                                                                              \
    TERNARY(name, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, name##_selectors(c)))
PRMT_MODE(prmt_f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT_MODE(prmt_b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT_MODE(prmt_rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT_MODE(prmt_ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT_MODE(prmt_ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT_MODE(prmt_rc16, 0x1010, 0x3232, 0x1010, 0x3232)

#define LOGIC(opcode, h, w, l)                                                                     \
    {opcode ".b16", h, "h=hh", 0}, {opcode ".b32", w, "w=ww", 0},                                  \
    {                                                                                              \
        opcode ".b64", l, "l=ll", 0                                                                \
    }

const struct rule sim_bit_rules[] = {
    LOGIC("and", and32, and32, and64),
    LOGIC("or", or32, or32, or64),
    LOGIC("xor", xor32, xor32, xor64),
    {"not.b16", not16, "h=h", 0},
    {"not.b32", not32, "w=w", 0},
    {"not.b64", not64, "l=l", 0},
    {"cnot.b16", cnot16, "h=h", 0},
    {"cnot.b32", cnot32, "w=w", 0},
    {"cnot.b64", cnot64, "l=l", 0},
    {"shl.b16", shl16, "h=hw", 0},
    {"shl.b32", shl32, "w=ww", 0},
    {"shl.b64", shl64, "l=lw", 0},
    {"shr.b16", shr_u16, "h=hw", 0},
    {"shr.b32", shr_u32, "w=ww", 0},
    {"shr.b64", shr_u64, "l=lw", 0},
    {"shr.u16", shr_u16, "h=hw", 0},
    {"shr.u32", shr_u32, "w=ww", 0},
    {"shr.u64", shr_u64, "l=lw", 0},
    {"shr.s16", shr_s16, "h=hw", 0},
    {"shr.s32", shr_s32, "w=ww", 0},
    {"shr.s64", shr_s64, "l=lw", 0},
    {"shf.l.clamp.b32", shf_l_clamp, "w=www", 0},
    {"shf.l.wrap.b32", shf_l_wrap, "w=www", 0},
    {"shf.r.clamp.b32", shf_r_clamp, "w=www", 0},
    {"shf.r.wrap.b32", shf_r_wrap, "w=www", 0},
    {"popc.b32", popc32, "w=w", 0},
    {"popc.b64", popc64, "w=l", 0},
    {"clz.b32", clz32, "w=w", 0},
    {"clz.b64", clz64, "w=l", 0},
    {"bfind.u32", bfind_u32, "w=w", 0},
    {"bfind.s32", bfind_s32, "w=w", 0},
    {"bfind.u64", bfind_u64, "w=l", 0},
    {"bfind.s64", bfind_s64, "w=l", 0},
    {"bfind.shiftamt.u32", bfind_shift_u32, "w=w", 0},
    {"bfind.shiftamt.s32", bfind_shift_s32, "w=w", 0},
    {"bfind.shiftamt.u64", bfind_shift_u64, "w=l", 0},
    {"bfind.shiftamt.s64", bfind_shift_s64, "w=l", 0},
    {"brev.b32", brev32, "w=w", 0},
    {"brev.b64", brev64, "l=l", 0},
    {"bfe.u32", bfe_u32, "w=www", 0},
    {"bfe.s32", bfe_s32, "w=www", 0},
    {"bfe.u64", bfe_u64, "l=lww", 0},
    {"bfe.s64", bfe_s64, "l=lww", 0},
    {"fns.b32", fns32, "w=www", 0},
    {"bmsk.clamp.b32", bmsk_clamp, "w=ww", 0},
    {"bmsk.wrap.b32", bmsk_wrap, "w=ww", 0},
    {"szext.clamp.u32", szext_clamp_u32, "w=ww", 0},
    {"szext.clamp.s32", szext_clamp_s32, "w=ww", 0},
    {"szext.wrap.u32", szext_wrap_u32, "w=ww", 0},
    {"szext.wrap.s32", szext_wrap_s32, "w=ww", 0},
    {"prmt.b32", prmt, "w=www", 0},
    {"prmt.b32.f4e", prmt_f4e, "w=www", 0},
    {"prmt.b32.b4e", prmt_b4e, "w=www", 0},
    {"prmt.b32.rc8", prmt_rc8, "w=www", 0},
    {"prmt.b32.ecl", prmt_ecl, "w=www", 0},
    {"prmt.b32.ecr", prmt_ecr, "w=www", 0},
    {"prmt.b32.rc16", prmt_rc16, "w=www", 0},
    {NULL, NULL, NULL, 0},
};

/* ---- Families: predicates, four operands, lop3 ---- */

#define PREDICATE_LOGIC(name, expression)                                                          \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const uint32_t a = sim_predicate(warp, at->a, at->flags & FLAG_NEGATE_A);                  \
        const uint32_t b = sim_predicate(warp, at->b, at->flags & FLAG_NEGATE_B);                  \
        (void)b;                                                                                   \
        sim_set_predicate(warp, at->d, expression);                                                \
        return at + 1;                                                                             \
    }
PREDICATE_LOGIC(and_predicate, a &b)
PREDICATE_LOGIC(or_predicate, a | b)
PREDICATE_LOGIC(xor_predicate, a ^ b)
PREDICATE_LOGIC(not_predicate, ~a)

static const struct rule predicate_rules[] = {
    {"and.pred", and_predicate, "p=pp", 0},
    {"or.pred", or_predicate, "p=pp", 0},
    {"xor.pred", xor_predicate, "p=pp", 0},
    {"not.pred", not_predicate, "p=p", 0},
    {NULL, NULL, NULL, 0},
};

static void decode_predicate_logic(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct rule *const rule = sim_find_rule(predicate_rules, source->opcode);
    if (!rule)
        sim_refuse_opcode(decoder, source);
    sim_emit_rule(decoder, source, rule);
}

static void decode_bfi(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_wide = strcmp(source->opcode, "bfi.b64") == 0;
    if (!is_wide && strcmp(source->opcode, "bfi.b32") != 0)
        sim_refuse_opcode(decoder, source);
    const char kind = is_wide ? 'l' : 'w';
    int32_t slots[4];
    for (int i = 0; i < 4; i++)
        slots[i] = sim_source_slot(decoder, source, sim_operand(decoder, source, i + 1),
                                   i < 2 ? kind : 'w');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), kind);
    struct instruction *const emitted = sim_emit(decoder, source, is_wide ? bfi64 : bfi32);
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->c = slots[2];
    emitted->value = (uint64_t)slots[3];
}

/* Bit i of the table is the result where the bits of a, b and c form i; the highest is of a. */
static inline uint32_t look_up(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        result |= (0 - (table >> i & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

#define LOP3(name, expression)                                                                     \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const uint32_t *const a_slot = sim_slot(warp, at->a), *const b_slot =                      \
                                                                  sim_slot(warp, at->b);           \
        const uint32_t *const c_slot = sim_slot(warp, at->c);                                      \
        const uint32_t table = (uint32_t)at->value;                                                \
        (void)table;                                                                               \
        LANES_BODY(uint32_t, const uint32_t a = a_slot[lane]; const uint32_t b = b_slot[lane];     \
                   const uint32_t c = c_slot[lane]; const uint32_t d = (expression));              \
    }
LOP3(lop3, look_up(a, b, c, table))
LOP3(lop3_and, a &b &c)
LOP3(lop3_or, a | b | c)
LOP3(lop3_xor, a ^ b ^ c)
LOP3(lop3_select, (a & b) | (~a & c))
LOP3(lop3_xor_and, (a ^ b) & c)
LOP3(lop3_and_or, (a & b) | c)

static exec_handler *lop3_handler(uint64_t table)
{
    switch (table) {
    case 0x80:
        return lop3_and;
    case 0xfe:
        return lop3_or;
    case 0x96:
        return lop3_xor;
    case 0xca:
        return lop3_select;
    case 0x28:
        return lop3_xor_and;
    case 0xea:
        return lop3_and_or;
    default:
        return lop3;
    }
}

/* p = (d != 0) op q, where operand a is the slot of d, just written. */
static const struct instruction *lop3_truth(struct warp *warp, const struct instruction *at)
{
    const uint32_t *const slot = sim_slot(warp, at->a);
    const uint32_t q = sim_predicate(warp, at->c, at->flags & FLAG_NEGATE_C);
    uint32_t mask = 0;
    EACH_LANE mask |= slot[lane] != 0 ? UINT32_C(1) << lane : 0;
    sim_set_predicate(warp, at->d, at->value ? mask & q : mask | q);
    return at + 1;
}

/* lop3.b32 d, a, b, c, table; lop3.{and,or}.b32 d|p, a, b, c, table, q. */
static void decode_lop3(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_and = strcmp(source->opcode, "lop3.and.b32") == 0;
    const bool has_truth = is_and || strcmp(source->opcode, "lop3.or.b32") == 0;
    if (!has_truth && strcmp(source->opcode, "lop3.b32") != 0)
        sim_refuse_opcode(decoder, source);
    const struct ptx_operand *const to = sim_operand(decoder, source, 0);
    if (has_truth != (to->kind == PTX_OPERAND_PAIR))
        sim_refuse_opcode(decoder, source);
    int32_t slots[3];
    for (int i = 0; i < 3; i++)
        slots[i] = sim_source_slot(decoder, source, sim_operand(decoder, source, i + 1), 'w');
    const uint64_t table = sim_immediate(decoder, source, 4) & 255;
    const int32_t d = sim_destination_slot(decoder, source, has_truth ? &to->elements[0] : to, 'w');
    struct instruction *emitted = sim_emit(decoder, source, lop3_handler(table));
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->c = slots[2];
    emitted->value = table;
    if (!has_truth)
        return;
    const struct ptx_operand *const q = sim_operand(decoder, source, 5);
    const int32_t p = sim_destination_slot(decoder, source, &to->elements[1], 'p');
    const int32_t q_slot = sim_source_slot(decoder, source, q, 'p');
    emitted = sim_emit(decoder, source, lop3_truth);
    emitted->d = p;
    emitted->a = d;
    emitted->c = q_slot;
    emitted->value = is_and;
    emitted->flags |= q->negated ? FLAG_NEGATE_C : 0;
}

const struct family sim_logic_families[] = {
    {PTX_OP_and, decode_predicate_logic},
    {PTX_OP_or, decode_predicate_logic},
    {PTX_OP_xor, decode_predicate_logic},
    {PTX_OP_not, decode_predicate_logic},
    {PTX_OP_bfi, decode_bfi},
    {PTX_OP_lop3, decode_lop3},
    {PTX_OP_UNKNOWN, NULL},
};
