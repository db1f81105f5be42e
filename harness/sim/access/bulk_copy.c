/* cp.async.bulk: copies of many bytes by one thread, by the copy engine. They are done at once; the
 * checks treat the engine like a warp of its own, which a warp comes after only when it has waited
 * for the copy's barrier in shared memory, or for its group. */
#include "access.h"

#include "sim/check/check.h"
#include "sim/check/order.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/lanes.h"

#include <string.h>

enum { PIECE = 16 }; /* sizes and addresses are multiples of it */

/* One end of a copy. */
struct end {
    struct where where;
    uint64_t window;
};

struct bulk_copy {
    struct end to, from;
    int32_t size;
    bool has_barrier; /* else it belongs to the thread's open group */
    struct end barrier;
};

static uint64_t address_at(const struct warp *warp, const struct end *end, unsigned lane)
{
    const void *const slot = sim_slot(warp, end->where.slot);
    const uint64_t address =
        end->where.is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
    return end->window | ((address + (uint64_t)end->where.offset) & ~WINDOW_MASK);
}

static void copy_piece(struct warp *warp, const struct instruction *at, int lane, uint64_t to,
                       uint64_t from)
{
    const char *const source = sim_lane_storage(warp, at, lane, from, PIECE, ACCESS_READ);
    char *const target = sim_lane_storage(warp, at, lane, to, PIECE, ACCESS_WRITE);
    const bool checks = warp->worker->checks != NULL;
    if (checks) {
        sim_check_lane_load(warp, at, lane, from, source, PIECE);
        sim_check_lane_store(warp, at, lane, to, target, PIECE);
    }
    memcpy(target, source, PIECE);
    if (checks)
        sim_check_lane_stored(warp, at, lane, to, target, PIECE);
}

static void check_multiple(struct warp *warp, const struct instruction *at, unsigned lane,
                           uint64_t value, const char *what)
{
    if (value % PIECE != 0)
        sim_fault(warp, at, (int)lane, SIM_MISALIGNED, value & ~WINDOW_MASK,
                  "%s: its %s is %llu, which is no multiple of 16 bytes",
                  sim_source(warp, at)->opcode, what, (unsigned long long)(value & ~WINDOW_MASK));
}

static const struct instruction *run_bulk_copy(struct warp *warp, const struct instruction *at)
{
    const struct bulk_copy *const copy = at->extra;
    const bool is_followed = warp->worker->checks && warp->worker->checks->clocks;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t to = address_at(warp, &copy->to, lane);
        const uint64_t from = address_at(warp, &copy->from, lane);
        const uint32_t size = ((const uint32_t *)sim_slot(warp, copy->size))[lane];
        check_multiple(warp, at, lane, to, "target");
        check_multiple(warp, at, lane, from, "source");
        check_multiple(warp, at, lane, size, "size");
        uint32_t *const brought =
            copy->has_barrier
                ? sim_mbarrier_brought(warp, at, lane, address_at(warp, &copy->barrier, lane))
                : NULL;
        if (is_followed)
            sim_clocks_begin_copy(warp);
        for (uint32_t done = 0; done < size; done += PIECE)
            copy_piece(warp, at, (int)lane, to + done, from + done);
        if (is_followed)
            sim_clocks_end_copy(warp, brought);
        if (copy->has_barrier)
            sim_mbarrier_complete(warp, at, lane, address_at(warp, &copy->barrier, lane), size);
    }
    return at + 1;
}

static const struct instruction *run_bulk_commit(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks && warp->worker->checks->clocks)
        sim_clocks_commit_copies(warp);
    return at + 1;
}

static const struct instruction *run_bulk_wait(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks && warp->worker->checks->clocks)
        sim_clocks_wait_copies(warp, (unsigned)at->value);
    return at + 1;
}

static const struct instruction *run_bulk_prefetch(struct warp *warp, const struct instruction *at)
{
    (void)warp;
    return at + 1;
}

static bool is_shared_space(const char *part)
{
    return strncmp(part, "shared", 6) == 0;
}

static struct end read_end(struct decoder *decoder, const struct ptx_instruction *source, int index,
                           bool is_shared)
{
    enum ptx_space space = is_shared ? PTX_SHARED : PTX_GLOBAL;
    const struct end end = {.where = sim_read_address(decoder, source, &space, index),
                            .window = is_shared ? SHARED_WINDOW : 0};
    if (end.where.is_fixed || (!is_shared && !end.where.is_wide))
        sim_refuse_opcode(decoder, source);
    return end;
}

/* cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes [to], [from], size, [barrier] {, policy}, or
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], size {, policy} */
static void decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const to = source->parts[3], *const from = source->parts[4];
    struct bulk_copy *const copy = sim_decoder_allocate(decoder, sizeof *copy);
    copy->has_barrier = ptx_has_part(source, "mbarrier::complete_tx::bytes");
    if (!copy->has_barrier && !ptx_has_part(source, "bulk_group"))
        sim_refuse_opcode(decoder, source);
    for (int i = 5; i < source->part_count; i++)
        if (strcmp(source->parts[i], "mbarrier::complete_tx::bytes") != 0 &&
            strcmp(source->parts[i], "bulk_group") != 0 && !sim_is_memory_hint(source->parts[i]))
            sim_refuse_opcode(decoder, source);
    copy->to = read_end(decoder, source, 0, is_shared_space(to));
    copy->from = read_end(decoder, source, 1, is_shared_space(from));
    copy->size = sim_source_slot(decoder, source, sim_operand(decoder, source, 2), 'w');
    if (copy->has_barrier)
        copy->barrier = read_end(decoder, source, 3, true);
    sim_decoder_program(decoder)->has_part_barriers = true;
    sim_note_access_size(decoder, PTX_SHARED, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run_bulk_copy);
    emitted->a = copy->to.where.slot;
    emitted->b = is_shared_space(from) ? copy->to.where.slot : copy->from.where.slot;
    emitted->extra = copy;
    emitted->cache = sim_new_cache(decoder);
}

void sim_decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const verb = source->part_count > 3 ? source->parts[3] : "";
    if (strcmp(verb, "commit_group") == 0)
        sim_emit(decoder, source, run_bulk_commit);
    else if (strcmp(verb, "wait_group") == 0)
        sim_emit(decoder, source, run_bulk_wait)->value = sim_immediate(decoder, source, 0);
    else if (strcmp(verb, "prefetch") == 0 && !ptx_has_part(source, "tensor"))
        sim_emit(decoder, source, run_bulk_prefetch);
    else if (source->part_count > 5 && strcmp(verb, "tensor") != 0)
        decode_bulk_copy(decoder, source);
    else
        sim_refuse_opcode(decoder, source);
}
