/* discard.L2: the contents of the lines are lost, and the lines count as never written. */
#include "access.h"

#include "sim/machine/lanes.h"
#include "sim/memory/memory.h"
#include "sim/memory/places.h"

enum { LINE_BYTES = 128 };

static const struct instruction *run_discard(struct warp *warp, const struct instruction *at)
{
    const uint64_t *const slot = sim_slot(warp, at->a);
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t address = slot[lane] + (uint64_t)at->offset;
        sim_lane_storage(warp, at, (int)lane, address, LINE_BYTES, ACCESS_WRITE);
        if (warp->worker->checks)
            sim_memory_mark_unwritten(address, LINE_BYTES);
    }
    return at + 1;
}

static void decode_discard(struct decoder *decoder, const struct ptx_instruction *source)
{
    enum ptx_space space = PTX_GLOBAL;
    const struct where where = sim_read_address(decoder, source, &space, 0);
    if (where.is_fixed || !where.is_wide)
        sim_refuse_opcode(decoder, source);
    struct instruction *const discard = sim_emit(decoder, source, run_discard);
    discard->a = where.slot;
    discard->offset = where.offset;
    discard->cache = sim_new_cache(decoder);
}

const struct family sim_discard_families[] = {
    {PTX_OP_discard, decode_discard},
    {PTX_OP_UNKNOWN, NULL},
};
