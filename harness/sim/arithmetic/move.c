/* mov in all its forms, and cvta between address spaces. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <string.h>

const struct instruction *sim_run_move32(struct warp *warp, const struct instruction *at)
{
    sim_write32(warp, at->d, sim_slot(warp, at->a));
    return at + 1;
}

const struct instruction *sim_run_move64(struct warp *warp, const struct instruction *at)
{
    sim_write64(warp, at->d, sim_slot(warp, at->a));
    return at + 1;
}

static const struct instruction *move_predicate(struct warp *warp, const struct instruction *at)
{
    sim_set_predicate(warp, at->d, sim_predicate(warp, at->a, at->flags & FLAG_NEGATE_A));
    return at + 1;
}

UNARY(move16, uint32_t, uint32_t, (uint16_t)a)

/* ---- Packing: {a, b, ...} to one register, and back ---- */

struct pack {
    int count, bits;  /* elements and their width */
    bool is_wide;     /* the whole is a 64-bit slot */
    int32_t slots[8]; /* -1: not wanted */
};

static const struct instruction *run_pack(struct warp *warp, const struct instruction *at)
{
    const struct pack *const pack = at->extra;
    uint64_t whole[WARP_LANES] = {0};
    for (int i = 0; i < pack->count; i++) {
        const uint32_t *const part = sim_slot(warp, pack->slots[i]);
        const uint64_t mask = (UINT64_C(1) << pack->bits) - 1;
        EACH_LANE whole[lane] |= (part[lane] & mask) << (i * pack->bits);
    }
    if (pack->is_wide) {
        sim_write64(warp, at->d, whole);
    } else {
        uint32_t low[WARP_LANES];
        EACH_LANE low[lane] = (uint32_t)whole[lane];
        sim_write32(warp, at->d, low);
    }
    return at + 1;
}

static const struct instruction *run_unpack(struct warp *warp, const struct instruction *at)
{
    const struct pack *const pack = at->extra;
    uint64_t whole[WARP_LANES]; /* a copy: a part may share the slot of the whole */
    if (pack->is_wide) {
        memcpy(whole, sim_slot(warp, at->a), sizeof whole);
    } else {
        const uint32_t *const low = sim_slot(warp, at->a);
        EACH_LANE whole[lane] = low[lane];
    }
    for (int i = 0; i < pack->count; i++) {
        uint32_t part[WARP_LANES];
        const uint64_t mask = (UINT64_C(1) << pack->bits) - 1;
        EACH_LANE part[lane] = (uint32_t)(whole[lane] >> (i * pack->bits) & mask);
        if (pack->slots[i] >= 0)
            sim_write32(warp, pack->slots[i], part);
    }
    return at + 1;
}

static struct pack *new_pack(struct decoder *decoder, const struct ptx_instruction *source,
                             const struct ptx_operand *vector, int bits, bool is_write)
{
    const int count = vector->element_count;
    struct pack *const pack = sim_decoder_allocate(decoder, sizeof *pack);
    if (count < 2 || count > 8 || bits / count < 8 || bits % count != 0)
        sim_refuse_opcode(decoder, source);
    pack->count = count;
    pack->bits = bits / count;
    pack->is_wide = bits == 64;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *const element = &vector->elements[i];
        if (is_write && element->kind == PTX_OPERAND_SINK)
            pack->slots[i] = -1;
        else
            pack->slots[i] = is_write ? sim_destination_slot(decoder, source, element, 'w')
                                      : sim_source_slot(decoder, source, element, 'w');
    }
    return pack;
}

/* ---- mov ---- */

static void decode_mov(struct decoder *decoder, const struct ptx_instruction *source)
{
    const enum ptx_type type = ptx_part_type(source->parts[source->part_count - 1]);
    const struct ptx_operand *const to = sim_operand(decoder, source, 0);
    const struct ptx_operand *const from = sim_operand(decoder, source, 1);
    const int bits = (int)ptx_type_size(type) * 8;
    if (type == PTX_NONE || source->part_count != 2 || bits > 64)
        sim_refuse_opcode(decoder, source);
    const char kind = type == PTX_PRED ? 'p' : bits == 64 ? 'l' : bits == 16 ? 'h' : 'w';
    exec_handler *run = kind == 'p'   ? move_predicate
                        : kind == 'l' ? sim_run_move64
                        : kind == 'h' ? move16
                                      : sim_run_move32;
    int32_t d = 0, a = 0;
    const struct pack *pack = NULL;
    if (to->kind == PTX_OPERAND_VECTOR) {
        pack = new_pack(decoder, source, to, bits, true);
        a = sim_source_slot(decoder, source, from, kind);
        run = run_unpack;
    } else if (from->kind == PTX_OPERAND_VECTOR) {
        pack = new_pack(decoder, source, from, bits, false);
        d = sim_destination_slot(decoder, source, to, kind);
        run = run_pack;
    } else {
        a = sim_source_slot(decoder, source, from, kind);
        d = sim_destination_slot(decoder, source, to, kind);
    }
    struct instruction *const move = sim_emit(decoder, source, run);
    move->d = d;
    move->a = a;
    move->extra = pack;
    move->flags |= from->negated ? FLAG_NEGATE_A : 0;
}

/* ---- cvta ---- */

UNARY(to_generic, uint64_t, uint64_t, a | at->value)
UNARY(from_generic, uint64_t, uint64_t, a & ~WINDOW_MASK)

static uint64_t window(const char *space)
{
    if (strcmp(space, "shared") == 0 || strcmp(space, "shared::cta") == 0 ||
        strcmp(space, "shared::cluster") == 0)
        return SHARED_WINDOW;
    if (strcmp(space, "local") == 0)
        return LOCAL_WINDOW;
    if (strcmp(space, "param") == 0 || strcmp(space, "param::entry") == 0)
        return PARAM_WINDOW;
    return 0;
}

static bool is_device_space(const char *space)
{
    return strcmp(space, "global") == 0 || strcmp(space, "const") == 0;
}

/* cvta.space.u64 d, a; cvta.to.space.u64 d, a. If a is a variable's name, its address is taken. */
static void decode_cvta(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_to = source->part_count == 4 && strcmp(source->parts[1], "to") == 0;
    if (source->part_count != (is_to ? 4 : 3) ||
        strcmp(source->parts[source->part_count - 1], "u64") != 0)
        sim_refuse_opcode(decoder, source);
    const char *const space = source->parts[is_to ? 2 : 1];
    uint64_t base = window(space);
    if (base == PARAM_WINDOW && !sim_decoder_function(decoder)->ptx->is_entry)
        base = LOCAL_WINDOW; /* where parameters of functions lie */
    if (!base && !is_device_space(space))
        sim_refuse_opcode(decoder, source);
    const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'l');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'l');
    struct instruction *const emitted = sim_emit(decoder, source,
                                                 !base   ? sim_run_move64
                                                 : is_to ? from_generic
                                                         : to_generic);
    emitted->d = d;
    emitted->a = a;
    emitted->value = base;
}

/* ---- isspacep ---- */

static const struct instruction *run_is_space(struct warp *warp, const struct instruction *at)
{
    const uint64_t *const a = sim_slot(warp, at->a);
    uint32_t mask = 0;
    EACH_LANE mask |= (a[lane] & WINDOW_MASK) == at->value ? UINT32_C(1) << lane : 0;
    sim_set_predicate(warp, at->d, mask);
    return at + 1;
}

/* Shared memory of this block alone. */
static const struct instruction *run_is_own_shared(struct warp *warp, const struct instruction *at)
{
    const uint64_t *const a = sim_slot(warp, at->a);
    uint32_t mask = 0;
    EACH_LANE
    {
        const bool is_other = (a[lane] & ~WINDOW_MASK) >> CLUSTER_SHIFT != 0; /* of a cluster */
        const bool is_own = (a[lane] & WINDOW_MASK) == at->value && !is_other;
        mask |= (uint32_t)is_own << lane;
    }
    sim_set_predicate(warp, at->d, mask);
    return at + 1;
}

static const struct instruction *run_is_const(struct warp *warp, const struct instruction *at)
{
    /* Constant variables lie in global memory here. */
    sim_set_predicate(warp, at->d, 0);
    return at + 1;
}

static void decode_isspacep(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (source->part_count != 2)
        sim_refuse_opcode(decoder, source);
    const uint64_t base = window(source->parts[1]);
    const bool is_const = strcmp(source->parts[1], "const") == 0;
    if (!base && !is_device_space(source->parts[1]))
        sim_refuse_opcode(decoder, source);
    const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'l');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'p');
    const bool is_own =
        strcmp(source->parts[1], "shared") == 0 || strcmp(source->parts[1], "shared::cta") == 0;
    struct instruction *const emitted = sim_emit(decoder, source,
                                                 is_const ? run_is_const
                                                 : is_own ? run_is_own_shared
                                                          : run_is_space);
    emitted->d = d;
    emitted->a = a;
    emitted->value = base;
}

const struct family sim_move_families[] = {
    {PTX_OP_mov, decode_mov},
    {PTX_OP_cvta, decode_cvta},
    {PTX_OP_isspacep, decode_isspacep},
    {PTX_OP_UNKNOWN, NULL},
};
