/* st.async and red.async: a thread stores to another block's shared memory, or reduces there, and
 * the bytes arrive at a barrier of that block. Like bulk copies they are done at once, and the
 * checks treat them as accesses of the copy engine: who reads must wait for the barrier's phase. */
#include "access.h"

#include "sim/machine/lanes.h"

#include <string.h>

enum { MOST_ELEMENTS = 4 };

struct store_async {
    struct bulk_end to, barrier;
    unsigned bytes; /* of an element */
    int count;
    int32_t slots[MOST_ELEMENTS];
    struct reduction reduction; /* its `apply` is NULL: a store */
};

static const struct instruction *run_store_async(struct warp *warp, const struct instruction *at)
{
    const struct store_async *const store = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t to = sim_bulk_address(warp, &store->to, lane);
        const uint64_t barrier = sim_bulk_address(warp, &store->barrier, lane);
        const unsigned bytes = store->bytes * (unsigned)store->count;
        char value[MOST_ELEMENTS * 8];
        for (int i = 0; i < store->count; i++)
            memcpy(value + (unsigned)i * store->bytes,
                   (const char *)sim_slot(warp, store->slots[i]) + lane * store->bytes,
                   store->bytes);
        uint32_t *const brought = sim_begin_bulk(warp, at, lane, barrier, true);
        if (store->reduction.apply)
            sim_lane_reduce(warp, at, (int)lane, to, &store->reduction, value);
        else
            sim_lane_write(warp, at, (int)lane, to, value, bytes);
        sim_end_bulk(warp, at, lane, barrier, brought, bytes);
    }
    return at + 1;
}

/* st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2, .v4}.TYPE [to], value,
 * [barrier];
 * red.async{.relaxed.cluster}.shared::cluster.mbarrier::complete_tx::bytes.OPERATION.TYPE likewise
 */
static void decode_store_async(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const type = source->parts[source->part_count - 1];
    const bool reduces = strcmp(source->parts[0], "red") == 0;
    struct store_async *const store = sim_decoder_allocate(decoder, sizeof *store);
    const struct ptx_operand *const value = sim_operand(decoder, source, 1);
    store->bytes = (unsigned)ptx_type_size(ptx_part_type(type));
    store->count = value->kind == PTX_OPERAND_VECTOR ? value->element_count : 1;
    int count = 1;
    for (int i = 2; i < source->part_count - 1; i++) {
        const char *const part = source->parts[i];
        if (!reduces && (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0))
            count = part[1] - '0';
        else if (reduces && ptx_find_update(part)) {
            if (!sim_find_reduction(part, type, &store->reduction))
                sim_refuse_opcode(decoder, source);
        } else if (strcmp(part, "shared::cluster") != 0 &&
                   strcmp(part, "mbarrier::complete_tx::bytes") != 0 && !sim_is_memory_hint(part))
            sim_refuse_opcode(decoder, source);
    }
    if ((store->bytes != 4 && store->bytes != 8) || store->count != count ||
        reduces != (store->reduction.apply != NULL))
        sim_refuse_opcode(decoder, source);
    for (int i = 0; i < count; i++)
        store->slots[i] = sim_source_slot(
            decoder, source, value->kind == PTX_OPERAND_VECTOR ? &value->elements[i] : value,
            store->bytes == 8 ? 'l' : 'w');
    store->to = sim_read_bulk_end(decoder, source, 0, true);
    store->barrier = sim_read_bulk_end(decoder, source, 2, true);
    sim_emit_bulk(decoder, source, run_store_async, store, store->to.where.slot,
                  store->to.where.slot);
}

const struct family sim_async_families[] = {
    {PTX_OP_st_async, decode_store_async},
    {PTX_OP_red_async, decode_store_async},
    {PTX_OP_UNKNOWN, NULL},
};
