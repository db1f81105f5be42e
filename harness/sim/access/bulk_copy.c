/* cp.async.bulk and cp.reduce.async.bulk: copies of many bytes by one thread, by the copy engine.
 * They are done at once; the checks treat the engine like a warp of its own, which a warp comes
 * after only when it has waited for the copy's barrier in shared memory, or for its group. */
#include "access.h"

#include "sim/check/order.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/lanes.h"

#include <stdlib.h>
#include <string.h>

enum { MODE_READ = 1 << FLAG_MODE_SHIFT }; /* of a wait, for what copies read */

struct bulk_copy {
    struct bulk_end to, from;
    int32_t size;
    bool has_barrier; /* else it belongs to the thread's open group */
    struct bulk_end barrier;
    int32_t blocks; /* slot of the mask of the blocks that receive it; -1: the address says */
    struct reduction reduction; /* its `apply` is NULL: a copy */
};

uint64_t sim_bulk_address(const struct warp *warp, const struct bulk_end *end, unsigned lane)
{
    const void *const slot = sim_slot(warp, end->where.slot);
    const uint64_t address =
        end->where.is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
    return end->window | ((address + (uint64_t)end->where.offset) & ~WINDOW_MASK);
}

void sim_check_multiple(struct warp *warp, const struct instruction *at, unsigned lane,
                        uint64_t value, unsigned multiple, const char *what)
{
    if (value % multiple != 0)
        sim_fault(warp, at, (int)lane, SIM_MISALIGNED, value & ~WINDOW_MASK,
                  "%s: its %s is %llu, which is no multiple of %u bytes",
                  sim_source(warp, at)->opcode, what, (unsigned long long)(value & ~WINDOW_MASK),
                  multiple);
}

static bool is_followed(const struct warp *warp)
{
    return warp->worker->checks && warp->worker->checks->clocks;
}

uint32_t *sim_begin_bulk(struct warp *warp, const struct instruction *at, unsigned lane,
                         uint64_t barrier, bool reads_all)
{
    uint32_t *const brought = barrier ? sim_mbarrier_brought(warp, at, lane, barrier) : NULL;
    if (is_followed(warp))
        sim_clocks_begin_copy(warp, reads_all, barrier);
    return brought;
}

void sim_end_bulk(struct warp *warp, const struct instruction *at, unsigned lane, uint64_t barrier,
                  uint32_t *brought, uint32_t bytes)
{
    if (is_followed(warp))
        sim_clocks_end_copy(warp, brought);
    if (barrier)
        sim_mbarrier_complete(warp, at, lane, barrier, bytes);
    warp->worker->noted.bytes += bytes;
}

void sim_note_row(struct warp *warp, const struct instruction *at, unsigned lane, uint64_t address,
                  uint32_t bytes)
{
    struct noted *const noted = &warp->worker->noted;
    if (!noted->is_wanted || bytes == 0 || (address & WINDOW_MASK) == SHARED_WINDOW)
        return;
    if (noted->row_count == noted->row_capacity) {
        const int larger = 2 * noted->row_capacity + 64;
        struct noted_row *const moved = realloc(noted->rows, (size_t)larger * sizeof *noted->rows);
        if (!moved)
            sim_fault(warp, at, (int)lane, SIM_BAD_LAUNCH, 0, "memory has run out");
        noted->rows = moved;
        noted->row_capacity = larger;
    }
    noted->rows[noted->row_count++] = (struct noted_row){address, bytes};
}

uint32_t sim_bulk_blocks(struct warp *warp, const struct instruction *at, unsigned lane,
                         int32_t slot)
{
    const unsigned size = warp->worker->launch->cluster_size;
    const uint32_t blocks = slot < 0 ? 0 : ((const uint32_t *)sim_slot(warp, slot))[lane] & 0xffff;
    if (blocks >> size)
        sim_fault(
            warp, at, (int)lane, SIM_OUT_OF_BOUNDS, 0,
            "%s to the blocks 0x%x: a bit stands for a rank, which is below %u in this cluster",
            sim_source(warp, at)->opcode, blocks, size);
    return blocks;
}

uint64_t sim_in_first_block(const struct warp *warp, uint64_t address, uint32_t blocks)
{
    return blocks ? sim_map_shared(warp, address, (uint32_t)__builtin_ctz(blocks)) : address;
}

static void move_piece(struct warp *warp, const struct instruction *at, int lane, uint64_t to,
                       uint64_t from)
{
    const struct reduction *const reduction = &((const struct bulk_copy *)at->extra)->reduction;
    char piece[PIECE];
    sim_lane_read(warp, at, lane, from, piece, PIECE);
    if (!reduction->apply)
        sim_lane_write(warp, at, lane, to, piece, PIECE);
    else
        for (unsigned done = 0; done < PIECE; done += reduction->bytes)
            sim_lane_reduce(warp, at, lane, to + done, reduction, piece + done);
}

static const struct instruction *run_bulk_copy(struct warp *warp, const struct instruction *at)
{
    const struct bulk_copy *const copy = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t to = sim_bulk_address(warp, &copy->to, lane);
        const uint64_t from = sim_bulk_address(warp, &copy->from, lane);
        const uint32_t size = ((const uint32_t *)sim_slot(warp, copy->size))[lane];
        sim_check_multiple(warp, at, lane, to, PIECE, "target");
        sim_check_multiple(warp, at, lane, from, PIECE, "source");
        sim_check_multiple(warp, at, lane, size, PIECE, "size");
        uint32_t blocks = sim_bulk_blocks(warp, at, lane, copy->blocks);
        sim_note_row(warp, at, lane, from, size);
        sim_note_row(warp, at, lane, to, size);
        do {
            const uint64_t there = sim_in_first_block(warp, to, blocks);
            const uint64_t barrier =
                copy->has_barrier
                    ? sim_in_first_block(warp, sim_bulk_address(warp, &copy->barrier, lane), blocks)
                    : 0;
            uint32_t *const brought = sim_begin_bulk(warp, at, lane, barrier, false);
            for (uint32_t done = 0; done < size; done += PIECE)
                move_piece(warp, at, (int)lane, there + done, from + done);
            sim_end_bulk(warp, at, lane, barrier, brought, size);
            blocks &= blocks - 1;
        } while (blocks);
    }
    return at + 1;
}

static const struct instruction *run_bulk_commit(struct warp *warp, const struct instruction *at)
{
    if (is_followed(warp))
        sim_clocks_commit_copies(warp);
    return at + 1;
}

static const struct instruction *run_bulk_wait(struct warp *warp, const struct instruction *at)
{
    if (is_followed(warp))
        sim_clocks_wait_copies(warp, (unsigned)at->value, at->flags & MODE_READ);
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

struct bulk_end sim_read_bulk_end(struct decoder *decoder, const struct ptx_instruction *source,
                                  int index, bool is_shared)
{
    enum ptx_space space = is_shared ? PTX_SHARED : PTX_GLOBAL;
    const struct bulk_end end = {.where = sim_read_address(decoder, source, &space, index),
                                 .window = is_shared ? SHARED_WINDOW : 0};
    if (end.where.is_fixed || (!is_shared && !end.where.is_wide))
        sim_refuse_opcode(decoder, source);
    return end;
}

void sim_emit_bulk(struct decoder *decoder, const struct ptx_instruction *source, exec_handler *run,
                   const void *copy, int32_t slot, int32_t other)
{
    sim_decoder_program(decoder)->has_part_barriers = true;
    sim_note_access_size(decoder, PTX_SHARED, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run);
    emitted->a = slot;
    emitted->b = other;
    emitted->extra = copy;
    emitted->cache = sim_new_cache(decoder);
}

/* Finds the operation of cp.reduce: `.add.noftz.f16` and the like, the last parts. */
static struct reduction read_reduction(struct decoder *decoder,
                                       const struct ptx_instruction *source, int first)
{
    const char *operation = "";
    const char *const type = source->parts[source->part_count - 1];
    struct reduction reduction = {.apply = NULL};
    for (int i = first; i < source->part_count - 1; i++)
        operation = ptx_find_update(source->parts[i]) ? source->parts[i] : operation;
    /* A sum of f32 takes subnormals as zero, as red does. */
    if (!sim_find_reduction(operation, strcmp(type, "f32") == 0 ? "ftz.f32" : type, &reduction))
        sim_refuse_opcode(decoder, source);
    return reduction;
}

/* cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes{.multicast::cluster}
 * [to], [from], size, [barrier] {, blocks} {, policy}, or
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], size {, policy};
 * cp.reduce.async.bulk.TO.shared::cta the same, with .OPERATION.TYPE at its end. `first`: .TO */
static void decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *source,
                             int first)
{
    const bool reduces = strcmp(source->parts[1], "reduce") == 0;
    const int end = source->part_count - (reduces ? 1 : 0);
    const bool is_to_shared = is_shared_space(source->parts[first]);
    const bool is_from_shared = is_shared_space(source->parts[first + 1]);
    struct bulk_copy *const copy = sim_decoder_allocate(decoder, sizeof *copy);
    copy->has_barrier = ptx_has_part(source, "mbarrier::complete_tx::bytes");
    if (copy->has_barrier != is_to_shared ||
        (!copy->has_barrier && !ptx_has_part(source, "bulk_group")) ||
        (!is_from_shared && (reduces || !is_to_shared)))
        sim_refuse_opcode(decoder, source);
    for (int i = first + 2; i < end; i++)
        if (strcmp(source->parts[i], "mbarrier::complete_tx::bytes") != 0 &&
            strcmp(source->parts[i], "bulk_group") != 0 &&
            !(is_to_shared && !is_from_shared &&
              strcmp(source->parts[i], "multicast::cluster") == 0) &&
            !sim_is_memory_hint(source->parts[i]) &&
            !(reduces &&
              (ptx_find_update(source->parts[i]) || strcmp(source->parts[i], "noftz") == 0)))
            sim_refuse_opcode(decoder, source);
    if (reduces)
        copy->reduction = read_reduction(decoder, source, first + 2);
    copy->to = sim_read_bulk_end(decoder, source, 0, is_to_shared);
    copy->from = sim_read_bulk_end(decoder, source, 1, is_from_shared);
    copy->size = sim_source_slot(decoder, source, sim_operand(decoder, source, 2), 'w');
    if (copy->has_barrier)
        copy->barrier = sim_read_bulk_end(decoder, source, 3, true);
    copy->blocks = -1;
    if (ptx_has_part(source, "multicast::cluster"))
        copy->blocks = sim_source_slot(decoder, source, sim_operand(decoder, source, 4), 'h');
    sim_emit_bulk(decoder, source, run_bulk_copy, copy, copy->to.where.slot,
                  is_from_shared ? copy->to.where.slot : copy->from.where.slot);
}

static void decode_bulk_wait(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct instruction *const wait = sim_emit(decoder, source, run_bulk_wait);
    wait->value = sim_immediate(decoder, source, 0);
    wait->flags |= ptx_has_part(source, "read") ? MODE_READ : 0;
}

void sim_decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *source, int first)
{
    const char *const verb = source->part_count > first ? source->parts[first] : "";
    if (strcmp(verb, "commit_group") == 0)
        sim_emit(decoder, source, run_bulk_commit);
    else if (strcmp(verb, "wait_group") == 0)
        decode_bulk_wait(decoder, source);
    else if (strcmp(verb, "prefetch") == 0)
        sim_emit(decoder, source, run_bulk_prefetch);
    else if (source->part_count > first + 2)
        decode_bulk_copy(decoder, source, first);
    else
        sim_refuse_opcode(decoder, source);
}
