/* Barriers of a block (bar, barrier) and fences; decodes bar.warp.sync too.
 *
 * A warp arrives as a whole. Where only some of its lanes come, its other paths go first, since
 * they may end or come here, too. If they do neither, the barrier is divergent. */
#include "control.h"

#include "sim/check/switchboard.h"
#include "sim/check/worker_checks.h"
#include "sim/check/order.h"
#include "sim/check/unwritten.h"
#include "sim/memory/warning.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

#include <stdio.h>
#include <string.h>

enum {
    MODE_ARRIVE = 1 << FLAG_MODE_SHIFT, /* the warp counts but does not wait */
    MODE_REDUCE = 2 << FLAG_MODE_SHIFT,
    MODE_COUNT = 4 << FLAG_MODE_SHIFT, /* a number of threads is given */
    MODE_POPC = 8 << FLAG_MODE_SHIFT,
    MODE_AND = 16 << FLAG_MODE_SHIFT,
    MODE_OR = 32 << FLAG_MODE_SHIFT,
    MODE_INIT = 1 << FLAG_MODE_SHIFT,   /* of a fence: for mbarrier.init */
    MODE_SHARED = 2 << FLAG_MODE_SHIFT, /* and for what was written in shared, in global memory */
    MODE_GLOBAL = 4 << FLAG_MODE_SHIFT
};

/* ---- Arriving and opening ---- */

static void check_whole(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
    const uint32_t missing = ~warp->exited & ~lanes;
    if (!missing)
        return;
    const int lane = __builtin_ctz(lanes);
    const int other = __builtin_ctz(missing);
    sim_fault(warp, at, lane, SIM_DIVERGENT_BARRIER, 0,
              "divergent barrier: thread (%u, %u, %u) is at %s, thread (%u, %u, %u) of the same "
              "warp is not; every thread of a block must come to __syncthreads(), so no condition "
              "around it may differ between threads",
              warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane],
              sim_source(warp, at)->opcode, warp->thread[0][other], warp->thread[1][other],
              warp->thread[2][other]);
}

static bool is_complete(const struct block *block, const struct barrier *barrier)
{
    const unsigned expected = barrier->expected ? barrier->expected : block->live_warps;
    return barrier->arrived > 0 && barrier->arrived >= expected;
}

/* Only warns: hardware counts the warps that come to a barrier number, wherever they come to it, so
 * that the kernel may be correct there. CUDA C does not promise this. `barrier.sync`, which
 * cooperative groups use, may stand in branches. */
static void warn_of_unlike(const struct warp *warp, const struct ptx_instruction *const unlike[2])
{
    const bool is_same_place =
        unlike[0]->line == unlike[1]->line && unlike[0]->call_line == unlike[1]->call_line;
    if (is_same_place || unlike[0]->operation != PTX_OP_bar || unlike[1]->operation != PTX_OP_bar ||
        !sim_warning_is_new(warp, warp->barrier_at, 0))
        return;
    sim_warn(warp, warp->barrier_at, SIM_DIVERGENT_BARRIER,
             "some warps of a block wait at this __syncthreads() while others wait at that of line "
             "%d, and they let each other go on; CUDA leaves undefined what comes of a barrier in "
             "a branch that only some of the block's threads take: put one barrier after the "
             "branches, or use named barriers (bar.sync with a number of threads)",
             unlike[0]->line);
}

static void note_unlike(struct block *block, const struct barrier *barrier)
{
    const struct warp *const first = &block->warps[__builtin_ctz(barrier->waiting)];
    EACH_ACTIVE(index, barrier->waiting)
    if (block->warps[index].barrier_at != first->barrier_at) {
        block->unlike[0] = sim_source(first, first->barrier_at);
        block->unlike[1] = sim_source(&block->warps[index], block->warps[index].barrier_at);
        warn_of_unlike(&block->warps[index], block->unlike);
    }
}

static void open_barrier(struct block *block, struct barrier *barrier)
{
    struct sim_checks *const checks = block->warps[0].worker->checks;
    if (checks) {
        sim_checks_settle(checks);
        sim_checks_order(checks);
        sim_global_barrier(block->warps[0].worker);
        if (checks->clocks)
            sim_clocks_open(block, (unsigned)(barrier - block->barriers), barrier->waiting,
                            barrier->expected == 0);
    }
    if (checks && barrier->waiting && barrier->expected == 0)
        note_unlike(block, barrier);
    block->has_left |= block->live_warps < block->warp_count;
    EACH_ACTIVE(index, barrier->waiting)
    {
        struct warp *const warp = &block->warps[index];
        block->has_left |= (warp->exited & ~warp->absent) != 0;
        warp->state = WARP_READY;
        const uint32_t mode = warp->barrier_at->flags;
        warp->barrier_result = mode & MODE_POPC  ? barrier->count
                               : mode & MODE_AND ? (barrier->all ? ALL_LANES : 0)
                                                 : (barrier->any ? ALL_LANES : 0);
    }
    *barrier = (struct barrier){0};
    block->busy_barriers &= ~(UINT32_C(1) << (barrier - block->barriers));
}

void sim_barriers_after_exit(struct block *block)
{
    EACH_ACTIVE(i, block->busy_barriers)
    if (block->barriers[i].expected == 0 && is_complete(block, &block->barriers[i]))
        open_barrier(block, &block->barriers[i]);
}

/* A warp waits at wgmma for another one of its warpgroup, which has ended or waits elsewhere. */
__attribute__((noreturn)) static void report_warpgroup(struct warp *warp)
{
    const unsigned first = warp->index / GROUP_WARPS * GROUP_WARPS;
    const struct warp *other = &warp->block->warps[first];
    char where[100] = "has ended";
    while (other->state == WARP_WAITING && other->barrier == AT_WGMMA)
        other++;
    if (other->state == WARP_WAITING)
        snprintf(where, sizeof where, "waits at %s (line %d)",
                 sim_source(other, other->barrier_at)->opcode,
                 sim_source(other, other->barrier_at)->line);
    sim_fault(warp, warp->barrier_at, __builtin_ctz(warp->active), SIM_DIVERGENT_BARRIER, 0,
              "the block can make no progress: warp %u waits at %s for all warps of its warpgroup, "
              "%u to %u, but warp %u never comes: it %s",
              warp->index, sim_source(warp, warp->barrier_at)->opcode, first,
              first + GROUP_WARPS - 1, other->index, where);
}

__attribute__((noreturn)) static void block_deadlock(struct block *block)
{
    const struct warp *first = NULL, *other = NULL;
    unsigned waiting = 0;
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct warp *const warp = &block->warps[i];
        if (warp->state != WARP_WAITING)
            continue;
        if (warp->barrier == AT_WGMMA)
            report_warpgroup(warp);
        waiting++;
        if (!first)
            first = warp;
        else if (!other && warp->barrier_at != first->barrier_at)
            other = warp;
    }
    struct warp *const warp = &block->warps[first->index];
    const struct ptx_instruction *const here = sim_source(warp, first->barrier_at);
    const int lane = __builtin_ctz(first->active);
    if (other)
        sim_fault(warp, first->barrier_at, lane, SIM_DIVERGENT_BARRIER, 0,
                  "the block can make no progress: warp %u waits at barrier %u (%s), warp %u at "
                  "barrier %u (line %d); each waits for threads that never come",
                  first->index, first->barrier, here->opcode, other->index, other->barrier,
                  sim_source(other, other->barrier_at)->line);
    sim_fault(warp, first->barrier_at, lane, SIM_DIVERGENT_BARRIER, 0,
              "the block can make no progress: %u warps wait at barrier %u (%s) for threads that "
              "never come",
              waiting, first->barrier, here->opcode);
}

void sim_barrier_deadlock(struct worker *leader)
{
    struct block *block = NULL;
    if (leader->cluster)
        sim_cluster_deadlock(leader->cluster);
    for (unsigned rank = sim_member_count(leader); rank-- > 0;)
        if (sim_member(leader, rank)->block.live_warps > 0)
            block = &sim_member(leader, rank)->block;
    block_deadlock(block);
}

static void reduce(const struct warp *warp, const struct instruction *at, uint32_t lanes,
                   struct barrier *barrier)
{
    const uint32_t value = sim_predicate(warp, at->c, at->flags & FLAG_NEGATE_C) & lanes;
    if (barrier->arrived == 0)
        barrier->all = 1;
    barrier->any |= value != 0;
    barrier->all &= value == lanes;
    barrier->count += (unsigned)__builtin_popcount(value);
}

static unsigned uniform(struct warp *warp, const struct instruction *at, int32_t slot,
                        uint32_t lanes, const char *what)
{
    const uint32_t *const value = sim_slot(warp, slot);
    const uint32_t first = value[__builtin_ctz(lanes)];
    EACH_ACTIVE(lane, lanes)
    if (value[lane] != first)
        sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, 0,
                  "the threads of a warp give %s different %s: %u and %u",
                  sim_source(warp, at)->opcode, what, first, value[lane]);
    return first;
}

static unsigned expected_warps(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
    if (!(at->flags & MODE_COUNT))
        return 0;
    const unsigned threads = uniform(warp, at, at->b, lanes, "thread counts");
    if (threads == 0 || threads % WARP_LANES != 0)
        sim_fault(warp, at, __builtin_ctz(lanes), SIM_DIVERGENT_BARRIER, 0,
                  "%s with %u threads: the number must be a multiple of 32",
                  sim_source(warp, at)->opcode, threads);
    return threads / WARP_LANES;
}

unsigned sim_barrier_number(const struct warp *warp, const struct instruction *at, unsigned *warps)
{
    const int lane = __builtin_ctz(sim_guarded_lanes(warp, at));
    const bool has_count = at->flags & MODE_COUNT;
    *warps = has_count ? ((const uint32_t *)sim_slot(warp, at->b))[lane] / WARP_LANES : 0;
    return ((const uint32_t *)sim_slot(warp, at->a))[lane];
}

const struct instruction *sim_run_barrier(struct warp *warp, const struct instruction *at)
{
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    if (!lanes)
        return at + 1;
    if (lanes == warp->active) {
        const struct instruction *const other = sim_converge(warp, at, ~warp->exited);
        if (other)
            return other;
    }
    check_whole(warp, at, lanes);
    const unsigned number = uniform(warp, at, at->a, lanes, "barrier numbers");
    if (number >= BARRIER_COUNT)
        sim_fault(warp, at, __builtin_ctz(lanes), SIM_DIVERGENT_BARRIER, 0,
                  "%s uses barrier %u; there are %d", sim_source(warp, at)->opcode, number,
                  BARRIER_COUNT);
    struct block *const block = warp->block;
    struct barrier *const barrier = &block->barriers[number];
    const unsigned expected = expected_warps(warp, at, lanes);
    if (at->flags & MODE_REDUCE)
        reduce(warp, at, lanes, barrier);
    if (warp->worker->checks && warp->worker->checks->clocks)
        sim_clocks_arrive(warp, at, number);
    barrier->arrived++;
    block->busy_barriers |= UINT32_C(1) << number;
    barrier->expected = expected;
    warp->barrier = number;
    warp->barrier_at = at;
    warp->at = at + 1;
    if (!(at->flags & MODE_ARRIVE)) {
        barrier->waiting |= UINT32_C(1) << warp->index;
        warp->state = WARP_WAITING;
    }
    if (is_complete(block, barrier))
        open_barrier(block, barrier);
    return warp->state == WARP_READY && block->warp_count == 1 ? at + 1 : NULL;
}

/* Runs after bar.red, once the barrier has opened. */
static const struct instruction *run_count_result(struct warp *warp, const struct instruction *at)
{
    uint32_t slot[WARP_LANES];
    EACH_LANE slot[lane] = warp->barrier_result;
    sim_write32(warp, at->d, slot);
    return at + 1;
}

static const struct instruction *run_truth_result(struct warp *warp, const struct instruction *at)
{
    sim_set_predicate(warp, at->d, warp->barrier_result);
    return at + 1;
}

/* ---- Fences ---- */

static const struct instruction *run_fence(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_checks_fence(warp, at->flags & FLAG_BLOCK);
    if (warp->worker->checks && warp->worker->checks->clocks && !(at->flags & FLAG_BLOCK))
        sim_clocks_cluster_fence(warp);
    atomic_thread_fence(memory_order_seq_cst);
    return at + 1;
}

/* ---- Decoding ---- */

static void refuse_unknown_parts(struct decoder *decoder, const struct ptx_instruction *source,
                                 int first, const char *const *known)
{
    for (int i = first; i < source->part_count; i++) {
        bool is_known = false;
        for (int k = 0; known[k]; k++)
            is_known = is_known || strcmp(known[k], source->parts[i]) == 0;
        if (!is_known)
            sim_refuse_opcode(decoder, source);
    }
}

static void decode_warp_sync(struct decoder *decoder, const struct ptx_instruction *source)
{
    const int32_t mask = sim_source_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    sim_warn_of_mask(decoder, source, 0);
    sim_emit(decoder, source, sim_run_warp_sync)->a = mask;
}

static void emit_result(struct decoder *decoder, const struct ptx_instruction *source,
                        bool is_count)
{
    const struct ptx_operand *const result = sim_operand(decoder, source, 0);
    const int32_t d = sim_destination_slot(decoder, source, result, is_count ? 'w' : 'p');
    sim_emit(decoder, source, is_count ? run_count_result : run_truth_result)->d = d;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, p; barrier.* the same. */
static void decode_bar(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const known[] = {"cta", "sync", "arrive", "red",  "aligned", "popc",
                                        "and", "or",   "u32",    "pred", NULL};
    if (source->part_count > 1 && strcmp(source->parts[1], "warp") == 0) {
        decode_warp_sync(decoder, source);
        return;
    }
    if (source->part_count > 1 && strcmp(source->parts[1], "cluster") == 0) {
        sim_decode_cluster_barrier(decoder, source);
        return;
    }
    refuse_unknown_parts(decoder, source, 1, known);
    const bool is_reduction = ptx_has_part(source, "red");
    const bool is_count = ptx_has_part(source, "popc");
    int operand = is_reduction ? 1 : 0;
    uint32_t flags = ptx_has_part(source, "arrive") ? MODE_ARRIVE : 0;
    const int32_t number =
        sim_source_slot(decoder, source, sim_operand(decoder, source, operand++), 'w');
    int32_t threads = 0, predicate = 0;
    if (source->operand_count - operand > (is_reduction ? 1 : 0)) {
        threads = sim_source_slot(decoder, source, sim_operand(decoder, source, operand++), 'w');
        flags |= MODE_COUNT;
    }
    if (is_reduction) {
        const struct ptx_operand *const value = sim_operand(decoder, source, operand++);
        predicate = sim_source_slot(decoder, source, value, 'p');
        flags |= MODE_REDUCE | (value->negated ? FLAG_NEGATE_C : 0) |
                 (is_count                      ? MODE_POPC
                  : ptx_has_part(source, "and") ? MODE_AND
                                                : MODE_OR);
    }
    if (flags & (MODE_ARRIVE | MODE_COUNT))
        sim_decoder_program(decoder)->has_part_barriers = true;
    struct instruction *const barrier = sim_emit_plain(decoder, source, sim_run_barrier);
    barrier->a = number;
    barrier->b = threads;
    barrier->c = predicate;
    barrier->flags |= flags;
    if (is_reduction)
        emit_result(decoder, source, is_count);
}

/* Fences between ordinary accesses and other ways to memory: all of them see the same memory here.
 */
static const struct instruction *run_other_fence(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks && warp->worker->checks->clocks) {
        sim_clocks_proxy_fence(warp, at->flags & MODE_SHARED, at->flags & MODE_GLOBAL);
        if (at->flags & MODE_INIT)
            sim_clocks_cluster_fence(warp);
    }
    return at + 1;
}

void sim_emit_fence(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct instruction *const fence = sim_emit(decoder, source, run_fence);
    if (ptx_has_part(source, "cta"))
        fence->flags |= FLAG_BLOCK;
}

static void decode_fence(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const kind = source->part_count > 1 ? source->parts[1] : "";
    if (strcmp(kind, "mbarrier_init") == 0 ||
        (strcmp(kind, "proxy") == 0 && ptx_has_part(source, "async"))) {
        sim_emit(decoder, source, run_other_fence)->flags |=
            strcmp(kind, "mbarrier_init") == 0 ? MODE_INIT | MODE_SHARED
            : ptx_has_part(source, "global")   ? MODE_GLOBAL
            : source->part_count > 3           ? MODE_SHARED
                                               : MODE_SHARED | MODE_GLOBAL;
        return;
    }
    static const char *const known[] = {
        "gl",      "cta", "sys",     "sc",      "acq_rel",
        "cluster", "gpu", "acquire", "release", "sync_restrict::shared::cta",
        NULL};
    /* fence.proxy.tensormap::generic.acquire or .release: a tensor map is read as by a load. */
    const bool is_of_map = strcmp(kind, "proxy") == 0 && ptx_has_part(source, "tensormap::generic");
    refuse_unknown_parts(decoder, source, is_of_map ? 3 : 1, known);
    sim_emit_fence(decoder, source);
}

const struct family sim_barrier_families[] = {
    {PTX_OP_bar, decode_bar},     {PTX_OP_barrier, decode_bar}, {PTX_OP_membar, decode_fence},
    {PTX_OP_fence, decode_fence}, {PTX_OP_UNKNOWN, NULL},
};
