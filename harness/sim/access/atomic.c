/* atom and red: one lane after the other, the lowest first (a launch in reverse takes the highest
 * first at locks). Each lane makes one atomic access on the host, since blocks run on several CPU
 * threads. Shared memory belongs to one thread, so that a plain read and write do there. */
#include "access.h"

#include "sim/arithmetic/rounding.h"
#include "sim/check/check.h"
#include "sim/decoding/flags.h"
#include "sim/machine/paths.h"
#include "sim/memory/places.h"

#include <stdio.h>
#include <string.h>

/* The first element of a vector checks the addresses of the whole vector. */
enum { MODE_WHOLE = 1 << FLAG_MODE_SHIFT };

struct atomic {
    sim_apply *apply;
    unsigned bytes;
    enum ptx_space space;
    bool is_wide_address, is_wide_value;
    bool flushes; /* f32 addition in global memory takes subnormals as zero */
    bool returns;
    bool counts; /* as an addition does: to do it twice gives another result than once */
    bool picks;  /* as a lock does: the first lane that comes may get it */
    bool pops;   /* takes the first element of a list (decoding/pops.c) */
    int count;   /* elements of the whole access, for its alignment */
};

/* ---- Operations ---- */

#define APPLY(name, T, expression)                                                                 \
    static uint64_t name(uint64_t old_bits, uint64_t b_bits, uint64_t c_bits)                      \
    {                                                                                              \
        const T old = (T)old_bits, b = (T)b_bits, c = (T)c_bits;                                   \
        (void)old, (void)c;                                                                        \
        return (uint64_t)(expression);                                                             \
    }

APPLY(apply_add, uint64_t, old + b)
APPLY(apply_and, uint64_t, old &b)
APPLY(apply_or, uint64_t, old | b)
APPLY(apply_xor, uint64_t, old ^ b)
APPLY(apply_exch, uint64_t, b)
APPLY(apply_cas16, uint16_t, old == b ? c : old)
APPLY(apply_cas32, uint32_t, old == b ? c : old)
APPLY(apply_cas64, uint64_t, old == b ? c : old)
APPLY(apply_inc, uint32_t, old >= b ? 0 : old + 1)
APPLY(apply_dec, uint32_t, old == 0 || old > b ? b : old - 1)
APPLY(apply_min_u32, uint32_t, old < b ? old : b)
APPLY(apply_max_u32, uint32_t, old > b ? old : b)
APPLY(apply_min_s32, int32_t, old < b ? old : b)
APPLY(apply_max_s32, int32_t, old > b ? old : b)
APPLY(apply_min_u64, uint64_t, old < b ? old : b)
APPLY(apply_max_u64, uint64_t, old > b ? old : b)
APPLY(apply_min_s64, int64_t, old < b ? old : b)
APPLY(apply_max_s64, int64_t, old > b ? old : b)

static float float_of(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t apply_add_f32(uint64_t old, uint64_t b, uint64_t c)
{
    (void)c;
    return bits_of(canonical(float_of(old) + float_of(b)));
}

static uint64_t apply_add_f32_ftz(uint64_t old, uint64_t b, uint64_t c)
{
    (void)c;
    return bits_of(
        canonical(flush_to_zero(flush_to_zero(float_of(old)) + flush_to_zero(float_of(b)))));
}

static uint64_t apply_add_f64(uint64_t old, uint64_t b, uint64_t c)
{
    double x, y;
    memcpy(&x, &old, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&c, &x, sizeof c);
    return c;
}

static uint32_t add_half(uint32_t x, uint32_t y, bool is_bf16)
{
    return sim_half_bits(sim_half_value(x & 0xffff, is_bf16) + sim_half_value(y & 0xffff, is_bf16),
                         is_bf16);
}

#define APPLY_HALF(name, is_bf16)                                                                  \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c)                                     \
    {                                                                                              \
        (void)c;                                                                                   \
        return add_half((uint32_t)old, (uint32_t)b, is_bf16);                                      \
    }                                                                                              \
    static uint64_t name##x2(uint64_t old, uint64_t b, uint64_t c)                                 \
    {                                                                                              \
        return name(old, b, c) | name(old >> 16, b >> 16, c) << 16;                                \
    }
APPLY_HALF(apply_add_f16, false)
APPLY_HALF(apply_add_bf16, true)

/* The smaller or larger one; of a NaN and a value, the value. -0 is smaller than 0. */
static uint32_t pick_half(uint32_t x, uint32_t y, bool is_bf16, bool is_max)
{
    const double a = sim_half_value(x & 0xffff, is_bf16), b = sim_half_value(y & 0xffff, is_bf16);
    if (a == 0 && b == 0)
        return (is_max ? x & y : x | y) & 0x8000;
    return sim_half_bits(is_max ? fmax(a, b) : fmin(a, b), is_bf16);
}

#define PICK_HALF(name, is_bf16, is_max)                                                           \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c)                                     \
    {                                                                                              \
        (void)c;                                                                                   \
        return pick_half((uint32_t)old, (uint32_t)b, is_bf16, is_max);                             \
    }
PICK_HALF(apply_min_f16, false, false)
PICK_HALF(apply_max_f16, false, true)
PICK_HALF(apply_min_bf16, true, false)
PICK_HALF(apply_max_bf16, true, true)

static const struct {
    const char *text; /* "add.u32" */
    sim_apply *apply;
} operations[] = {
    {"add.u32", apply_add},       {"add.s32", apply_add},
    {"add.u64", apply_add},       {"add.s64", apply_add},
    {"add.f32", apply_add_f32},   {"add.ftz.f32", apply_add_f32_ftz},
    {"add.f64", apply_add_f64},   {"and.b32", apply_and},
    {"and.b64", apply_and},       {"or.b32", apply_or},
    {"or.b64", apply_or},         {"xor.b32", apply_xor},
    {"xor.b64", apply_xor},       {"exch.b32", apply_exch},
    {"exch.b64", apply_exch},     {"cas.b16", apply_cas16},
    {"cas.b32", apply_cas32},     {"cas.b64", apply_cas64},
    {"inc.u32", apply_inc},       {"dec.u32", apply_dec},
    {"min.u32", apply_min_u32},   {"max.u32", apply_max_u32},
    {"min.s32", apply_min_s32},   {"max.s32", apply_max_s32},
    {"min.u64", apply_min_u64},   {"max.u64", apply_max_u64},
    {"min.s64", apply_min_s64},   {"max.s64", apply_max_s64},
    {"add.f16", apply_add_f16},   {"add.f16x2", apply_add_f16x2},
    {"add.bf16", apply_add_bf16}, {"add.bf16x2", apply_add_bf16x2},
    {"min.f16", apply_min_f16},   {"max.f16", apply_max_f16},
    {"min.bf16", apply_min_bf16}, {"max.bf16", apply_max_bf16},
};

static sim_apply *find_apply(const char *text)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].text, text) == 0)
            return operations[i].apply;
    return NULL;
}

bool sim_find_reduction(const char *operation, const char *type, struct reduction *reduction)
{
    char text[32];
    const char *const dot = strchr(type, '.');
    const enum ptx_update update = ptx_find_update(operation);
    snprintf(text, sizeof text, "%s.%s", operation, type);
    *reduction =
        (struct reduction){.apply = find_apply(text),
                           .bytes = (unsigned)ptx_type_size(ptx_part_type(dot ? dot + 1 : type)),
                           .counts = (update & (PTX_ADDS | PTX_TOGGLES)) != 0};
    return reduction->apply && !(update & PTX_SWAPS);
}

/* ---- Cells ---- */

#define UPDATE(T)                                                                                  \
    ({                                                                                             \
        T old = __atomic_load_n((T *)cell, __ATOMIC_RELAXED), fresh;                               \
        do                                                                                         \
            fresh = (T)apply(old, b, c);                                                           \
        while (!__atomic_compare_exchange_n((T *)cell, &old, fresh, true, __ATOMIC_SEQ_CST,        \
                                            __ATOMIC_RELAXED));                                    \
        old;                                                                                       \
    })

static uint64_t update(void *cell, unsigned bytes, sim_apply *apply, uint64_t b, uint64_t c)
{
    if (apply == apply_add && bytes == 4)
        return __atomic_fetch_add((uint32_t *)cell, (uint32_t)b, __ATOMIC_SEQ_CST);
    if (apply == apply_add)
        return __atomic_fetch_add((uint64_t *)cell, b, __ATOMIC_SEQ_CST);
    switch (bytes) {
    case 2:
        return UPDATE(uint16_t);
    case 4:
        return UPDATE(uint32_t);
    default:
        return UPDATE(uint64_t);
    }
}

static uint64_t update_shared(void *cell, unsigned bytes, sim_apply *apply, uint64_t b, uint64_t c)
{
    uint64_t old = 0;
    memcpy(&old, cell, bytes);
    const uint64_t fresh = apply(old, b, c);
    memcpy(cell, &fresh, bytes);
    return old;
}

static bool changes(unsigned bytes, sim_apply *apply, uint64_t old, uint64_t b, uint64_t c)
{
    const uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    return ((apply(old, b, c) ^ old) & mask) != 0;
}

void sim_lane_reduce(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                     const struct reduction *reduction, const void *value)
{
    const unsigned bytes = reduction->bytes;
    uint64_t b = 0;
    memcpy(&b, value, bytes);
    void *const cell = sim_lane_storage(warp, at, lane, address, bytes, ACCESS_ATOMIC);
    if (warp->worker->checks)
        check_atomic(warp, at, lane, address, cell, bytes, true);
    const uint64_t old = (address & WINDOW_MASK) == SHARED_WINDOW
                             ? update_shared(cell, bytes, reduction->apply, b, b)
                             : update(cell, bytes, reduction->apply, b, b);
    if (warp->worker->checks)
        check_atomic_done(warp, at, lane, address, cell, bytes,
                          changes(bytes, reduction->apply, old, b, b), reduction->counts);
}

static uint64_t lane_address(struct warp *warp, const struct instruction *at, uint32_t lane)
{
    const struct atomic *const atomic = at->extra;
    const void *const slot = sim_slot(warp, at->a);
    uint64_t address = atomic->is_wide_address
                           ? ((const uint64_t *)slot)[lane] + (uint64_t)at->offset
                           : ((const uint32_t *)slot)[lane] + (uint32_t)at->offset;
    if (atomic->space == PTX_SHARED)
        address = SHARED_WINDOW | (address & ~WINDOW_MASK);
    return address;
}

static uint64_t lane_value(struct warp *warp, bool is_wide, int32_t offset, uint32_t lane)
{
    const void *const slot = sim_slot(warp, offset);
    return is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
}

/* A list's first element is swapped for another, or exchanged. */
static void note_swap(struct warp *warp, const struct instruction *at, int lane, const char *cell,
                      uint64_t old, uint64_t b, uint64_t c)
{
    const struct atomic *const atomic = at->extra;
    const bool compares = atomic->apply != apply_exch;
    if (!compares || old == b)
        sim_head_swapped(warp, at, lane, cell, old, compares ? c : b, atomic->pops);
}

static const struct instruction *run_atomic(struct warp *warp, const struct instruction *at)
{
    const struct atomic *const atomic = at->extra;
    sim_apply *const global_apply = atomic->flushes ? apply_add_f32_ftz : atomic->apply;
    uint64_t old[WARP_LANES] = {0};
    const bool is_turned = atomic->picks && warp->worker->launch->turned;
    for (uint32_t rest = warp->active, lane; rest; rest &= ~(UINT32_C(1) << lane)) {
        lane = (uint32_t)(is_turned ? 31 - __builtin_clz(rest) : __builtin_ctz(rest));
        const uint64_t address = lane_address(warp, at, lane);
        if (at->flags & MODE_WHOLE)
            sim_lane_storage(warp, at, (int)lane, address, atomic->bytes * (unsigned)atomic->count,
                             ACCESS_ATOMIC);
        void *const cell =
            sim_lane_storage(warp, at, (int)lane, address, atomic->bytes, ACCESS_ATOMIC);
        if (warp->worker->checks)
            check_atomic(warp, at, (int)lane, address, cell, atomic->bytes,
                         atomic->apply != apply_exch);
        const uint64_t b = lane_value(warp, atomic->is_wide_value, at->b, lane);
        const uint64_t c = lane_value(warp, atomic->is_wide_value, at->c, lane);
        old[lane] = (address & WINDOW_MASK) == SHARED_WINDOW
                        ? update_shared(cell, atomic->bytes, atomic->apply, b, c)
                        : update(cell, atomic->bytes, global_apply, b, c);
        if (warp->worker->checks)
            check_atomic_done(warp, at, (int)lane, address, cell, atomic->bytes,
                              changes(atomic->bytes, global_apply, old[lane], b, c),
                              atomic->counts);
        if (warp->worker->launch->program->has_pops && atomic->picks && warp->worker->checks &&
            (address & WINDOW_MASK) != SHARED_WINDOW)
            note_swap(warp, at, (int)lane, cell, old[lane], b, c);
    }
    if (atomic->returns && atomic->counts &&
        atomic_load_explicit(&warp->worker->launch->shares, memory_order_relaxed) > 0) {
        warp->worker->has_drawn |= atomic->space != PTX_SHARED;
        warp->budget = 0; /* the warp's turn ends */
    }
    if (atomic->returns && atomic->is_wide_value) {
        sim_write64(warp, at->d, old);
    } else if (atomic->returns) {
        uint32_t low[WARP_LANES];
        EACH_LANE low[lane] = (uint32_t)old[lane];
        sim_write32(warp, at->d, low);
    }
    return at + 1;
}

/* ---- Decoding ---- */

/* Splits the opcode; `text` receives operation and type, such as "cas.b32". */
static void read_text(struct decoder *decoder, const struct ptx_instruction *source,
                      struct atomic *atomic, char *text, size_t size)
{
    const char *name = NULL;
    const char *const type = source->parts[source->part_count - 1];
    for (int i = 1; i < source->part_count - 1; i++) {
        const char *const part = source->parts[i];
        if (!name && ptx_find_update(part))
            name = part;
        else if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0)
            atomic->count = part[1] - '0';
        else if (strcmp(part, "acq_rel") != 0 && strcmp(part, "noftz") != 0 &&
                 !sim_is_memory_hint(part) && !sim_read_space(part, &atomic->space))
            sim_refuse_opcode(decoder, source);
    }
    atomic->bytes = (unsigned)ptx_type_size(ptx_part_type(type));
    atomic->is_wide_value = atomic->bytes == 8;
    if (!name || atomic->bytes == 0)
        sim_refuse_opcode(decoder, source);
    atomic->counts = (source->update & (PTX_ADDS | PTX_TOGGLES)) != 0;
    atomic->picks = source->update & PTX_SWAPS;
    snprintf(text, size, "%s.%s", name, type);
}

static void find_operation(struct decoder *decoder, const struct ptx_instruction *source,
                           struct atomic *atomic)
{
    char text[32];
    read_text(decoder, source, atomic, text, sizeof text);
    atomic->apply = find_apply(text);
    if (!atomic->apply)
        sim_refuse_opcode(decoder, source);
    atomic->flushes = atomic->apply == apply_add_f32;
}

/* Element `index` of an operand that is a list; otherwise the operand itself. */
static const struct ptx_operand *element(const struct ptx_operand *operand, int index)
{
    return operand->kind == PTX_OPERAND_VECTOR ? &operand->elements[index] : operand;
}

/* Whether the kernel may learn from the result what others have done. */
static bool learns(struct decoder *decoder, const struct ptx_instruction *source,
                   const struct atomic *atomic)
{
    return atomic->returns && atomic->space != PTX_SHARED &&
           sim_is_read(sim_decoder_function(decoder)->ptx, &source->operands[0]);
}

static void emit_element(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct atomic *atomic, const struct where *where, int index)
{
    const bool is_cas = source->update & PTX_COMPARES;
    const char kind = atomic->is_wide_value ? 'l' : atomic->bytes == 2 ? 'h' : 'w';
    const int next = atomic->returns ? 2 : 1;
    const int32_t b =
        sim_source_slot(decoder, source, element(sim_operand(decoder, source, next), index), kind);
    const int32_t c =
        is_cas ? sim_source_slot(decoder, source, sim_operand(decoder, source, next + 1), kind) : b;
    const int32_t d =
        atomic->returns
            ? sim_destination_slot(decoder, source, element(sim_operand(decoder, source, 0), index),
                                   kind)
            : 0;
    struct instruction *const emitted = sim_emit(decoder, source, run_atomic);
    emitted->d = d;
    emitted->a = where->slot;
    emitted->b = b;
    emitted->c = c;
    emitted->offset = where->offset + index * (int)atomic->bytes;
    emitted->extra = atomic;
    emitted->flags |= index == 0 && atomic->count > 1 ? MODE_WHOLE : 0;
    if (ptx_releases(source))
        emitted->flags |= FLAG_RELEASE;
    if (ptx_acquires(source))
        emitted->flags |= FLAG_ACQUIRE;
    if (ptx_has_part(source, "cta"))
        emitted->flags |= FLAG_BLOCK;
    const bool is_look = atomic->returns && sim_is_look(sim_decoder_function(decoder)->ptx, source);
    if (is_look && atomic->space == PTX_SHARED)
        sim_decoder_program(decoder)->has_part_barriers = true;
    else if (is_look)
        emitted->flags |= FLAG_LOOK;
    emitted->flags |= learns(decoder, source, atomic) ? FLAG_LEARNS : 0;
    if (atomic->space != PTX_SHARED || source->update & PTX_EXCHANGES)
        emitted->flags |= sim_writes_update(sim_decoder_function(decoder)->ptx, source);
    if (atomic->returns && atomic->space != PTX_SHARED)
        emitted->flags |= sim_reads_for_update(sim_decoder_function(decoder)->ptx, source);
    emitted->cache = sim_new_cache(decoder);
}

/* As in PTX, a vector is atomic only by element: each element becomes an instruction of its own. */
static void decode_atomic(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct atomic *const atomic = sim_decoder_allocate(decoder, sizeof *atomic);
    atomic->space = PTX_GENERIC;
    atomic->count = 1;
    atomic->returns = ptx_does(source, PTX_UPDATES);
    find_operation(decoder, source, atomic);
    atomic->pops =
        atomic->space != PTX_SHARED && sim_pops(sim_decoder_function(decoder)->ptx, source);
    sim_decoder_program(decoder)->has_pops |= atomic->pops;
    const int address = atomic->returns ? 1 : 0;
    const struct ptx_operand *const value = sim_operand(decoder, source, address + 1);
    const bool is_vector = value->kind == PTX_OPERAND_VECTOR;
    if ((is_vector ? value->element_count : 1) != atomic->count ||
        (is_vector && atomic->returns && source->operands[0].element_count != value->element_count))
        sim_refuse(decoder, source, "%s needs lists of %d registers", source->opcode,
                   atomic->count);
    const struct where where = sim_read_address(decoder, source, &atomic->space, address);
    if (where.is_fixed || atomic->space == PTX_LOCAL || atomic->space == PTX_PARAM)
        sim_refuse(decoder, source, "%s needs global or shared memory", source->opcode);
    atomic->is_wide_address = where.is_wide;
    sim_note_access_size(decoder, atomic->space, atomic->bytes);
    for (int i = 0; i < atomic->count; i++)
        emit_element(decoder, source, atomic, &where, i);
    if (atomic->returns && atomic->space != PTX_SHARED)
        sim_emit_learn(decoder, source);
    sim_emit_poll(decoder, source, &where);
}

const struct family sim_atomic_families[] = {
    {PTX_OP_atom, decode_atomic},
    {PTX_OP_red, decode_atomic},
    {PTX_OP_UNKNOWN, NULL},
};
