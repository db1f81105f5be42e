/* Thread block clusters: barrier.cluster, whose two halves are arrive and wait, and addresses in
 * the shared memory of the cluster's other blocks. */
#include "control.h"

#include "sim/check/order.h"
#include "sim/check/unwritten.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"
#include "sim/memory/places.h"

#include <string.h>

enum { MODE_RELAXED = 1 << FLAG_MODE_SHIFT };

/* ---- The barrier ---- */

static bool has_arrived(const struct warp *warp)
{
    return warp->cluster_arrivals > warp->worker->cluster->openings;
}

void sim_cluster_start(struct cluster *cluster)
{
    cluster->openings = 0;
    cluster->pending = cluster->size * cluster->members[0]->block.warp_count;
}

/* All have come: what they did before comes before what any of them does after its wait. */
static void open_if_due(struct cluster *cluster)
{
    if (cluster->pending > 0)
        return;
    if (cluster->members[0]->checks)
        sim_clocks_cluster_open(cluster);
    cluster->openings++;
    for (unsigned rank = 0; rank < cluster->size; rank++) {
        struct worker *const member = cluster->members[rank];
        for (unsigned i = 0; i < member->block.warp_count; i++) {
            struct warp *const warp = &member->block.warps[i];
            cluster->pending += warp->state != WARP_EXITED;
            if (warp->state == WARP_WAITING && warp->barrier == AT_CLUSTER)
                warp->state = WARP_READY;
        }
    }
}

void sim_cluster_after_exit(struct warp *warp)
{
    struct worker *const worker = warp->worker;
    if (!has_arrived(warp)) {
        worker->cluster->pending--;
        open_if_due(worker->cluster);
    }
}

/* A warp comes as a whole. @return where to go on instead; NULL: here. */
static const struct instruction *gather(struct warp *warp, const struct instruction *at)
{
    const struct instruction *const other = sim_converge(warp, at, ~warp->exited);
    const uint32_t missing = ~warp->exited & ~warp->active;
    if (other || !missing)
        return other;
    const int lane = __builtin_ctz(missing);
    sim_fault(warp, at, __builtin_ctz(warp->active), SIM_DIVERGENT_BARRIER, 0,
              "divergent barrier: thread (%u, %u, %u) of the same warp does not come to %s; every "
              "thread of the cluster must come to its barrier",
              warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane],
              sim_source(warp, at)->opcode);
}

static const struct instruction *run_arrive(struct warp *warp, const struct instruction *at)
{
    struct cluster *const cluster = warp->worker->cluster;
    const struct instruction *const other = gather(warp, at);
    if (other)
        return other;
    if (has_arrived(warp))
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_DIVERGENT_BARRIER, 0,
                  "barrier.cluster.arrive by warp %u, which has arrived before and not waited "
                  "since: a barrier.cluster.wait belongs between the two",
                  warp->index);
    if (warp->worker->checks)
        sim_clocks_cluster_arrive(warp, at->flags & MODE_RELAXED);
    warp->cluster_arrivals++;
    cluster->pending--;
    open_if_due(cluster);
    return at + 1;
}

/* Comes again after the barrier has opened. */
static const struct instruction *run_wait(struct warp *warp, const struct instruction *at)
{
    struct cluster *const cluster = warp->worker->cluster;
    struct sim_checks *const checks = warp->worker->checks;
    const struct instruction *const other = gather(warp, at);
    if (other)
        return other;
    if (warp->cluster_arrivals < cluster->openings || warp->cluster_arrivals == 0)
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_DIVERGENT_BARRIER, 0,
                  "barrier.cluster.wait by warp %u, which has not arrived: a "
                  "barrier.cluster.arrive belongs before each wait",
                  warp->index);
    if (has_arrived(warp)) {
        warp->barrier = AT_CLUSTER;
        warp->barrier_at = warp->at = at;
        warp->state = WARP_WAITING;
        return NULL;
    }
    if (checks) {
        sim_checks_settle(checks);
        sim_checks_order(checks);
        sim_global_barrier(warp->worker);
        sim_clocks_cluster_wait(warp);
    }
    return at + 1;
}

void sim_cluster_deadlock(struct cluster *cluster)
{
    struct warp *waiting = NULL;
    const struct warp *missing = NULL;
    for (unsigned rank = 0; rank < cluster->size; rank++) {
        struct block *const block = &cluster->members[rank]->block;
        for (unsigned i = 0; i < block->warp_count; i++) {
            struct warp *const warp = &block->warps[i];
            if (warp->state == WARP_WAITING && warp->barrier == AT_CLUSTER)
                waiting = waiting ? waiting : warp;
            else if (warp->state == WARP_WAITING && !has_arrived(warp))
                missing = missing ? missing : warp;
        }
    }
    if (!waiting || !missing)
        return;
    sim_fault(waiting, waiting->barrier_at, __builtin_ctz(waiting->active), SIM_DIVERGENT_BARRIER,
              0,
              "the cluster can make no progress: warp %u of this block waits at the cluster's "
              "barrier for warp %u of the block with rank %u, which waits at barrier %u (line %d)",
              waiting->index, missing->index, missing->worker->rank, missing->barrier,
              sim_source(missing, missing->barrier_at)->line);
}

/* barrier.cluster.arrive{.release or .relaxed}{.aligned}; barrier.cluster.wait{.acquire}{.aligned}
 */
void sim_decode_cluster_barrier(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const verb = source->part_count > 2 ? source->parts[2] : "";
    const bool is_wait = strcmp(verb, "wait") == 0;
    if (!is_wait && strcmp(verb, "arrive") != 0)
        sim_refuse_opcode(decoder, source);
    for (int i = 3; i < source->part_count; i++)
        if (strcmp(source->parts[i], "aligned") != 0 &&
            strcmp(source->parts[i], is_wait ? "acquire" : "release") != 0 &&
            (is_wait || strcmp(source->parts[i], "relaxed") != 0))
            sim_refuse_opcode(decoder, source);
    sim_decoder_program(decoder)->has_cluster_barriers = true;
    struct instruction *const emitted = sim_emit(decoder, source, is_wait ? run_wait : run_arrive);
    if (ptx_has_part(source, "relaxed"))
        emitted->flags |= MODE_RELAXED;
}

/* ---- Addresses ---- */

static void check_rank(struct warp *warp, const struct instruction *at, uint32_t lane,
                       uint32_t rank)
{
    const unsigned size = warp->worker->launch->cluster_size;
    if (rank >= size)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, 0,
                  "%s for rank %u in a cluster of %u blocks: ranks go from 0 to %u%s",
                  sim_source(warp, at)->opcode, rank, size, size - 1,
                  size == 1 ? "; was the kernel launched with clusters (cudaLaunchKernelEx, "
                              "__cluster_dims__)?"
                            : "");
}

static const struct instruction *run_mapa32(struct warp *warp, const struct instruction *at)
{
    const uint32_t *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    uint32_t result[WARP_LANES] = {0};
    EACH_ACTIVE(lane, warp->active)
    {
        check_rank(warp, at, lane, b[lane]);
        result[lane] = (uint32_t)sim_map_shared(warp, a[lane], b[lane]);
    }
    sim_write32(warp, at->d, result);
    return at + 1;
}

static const struct instruction *run_mapa64(struct warp *warp, const struct instruction *at)
{
    const sim_bits64 *const a = sim_slot(warp, at->a);
    const uint32_t *const b = sim_slot(warp, at->b);
    sim_bits64 result[WARP_LANES] = {0};
    EACH_ACTIVE(lane, warp->active)
    {
        check_rank(warp, at, lane, b[lane]);
        result[lane] = sim_map_shared(warp, a[lane], b[lane]);
    }
    sim_write64(warp, at->d, result);
    return at + 1;
}

/* mapa{.shared::cluster}.u32 d, a, b: without a space, a and d are generic addresses. */
static void decode_mapa(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_wide = ptx_has_part(source, "u64");
    if (source->part_count < 2 || source->part_count > 3 ||
        (source->part_count == 3 && strcmp(source->parts[1], "shared::cluster") != 0) ||
        (!is_wide && !ptx_has_part(source, "u32")))
        sim_refuse_opcode(decoder, source);
    const char kind = is_wide ? 'l' : 'w';
    const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), kind);
    const int32_t b = sim_source_slot(decoder, source, sim_operand(decoder, source, 2), 'w');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), kind);
    struct instruction *const emitted =
        sim_emit(decoder, source, is_wide ? run_mapa64 : run_mapa32);
    emitted->a = a;
    emitted->b = b;
    emitted->d = d;
}

static uint32_t rank_of(const struct warp *warp, uint64_t address)
{
    const uint64_t rank = (address & ~WINDOW_MASK) >> CLUSTER_SHIFT;
    return rank ? (uint32_t)rank - 1 : warp->worker->rank;
}

static const struct instruction *run_rank32(struct warp *warp, const struct instruction *at)
{
    const uint32_t *const a = sim_slot(warp, at->a);
    uint32_t result[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        result[lane] = rank_of(warp, a[lane]);
    sim_write32(warp, at->d, result);
    return at + 1;
}

static const struct instruction *run_rank64(struct warp *warp, const struct instruction *at)
{
    const sim_bits64 *const a = sim_slot(warp, at->a);
    uint32_t result[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        result[lane] = rank_of(warp, a[lane]);
    sim_write32(warp, at->d, result);
    return at + 1;
}

/* getctarank{.shared::cluster}.u64 d, a: d has 32 bits. */
static void decode_getctarank(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_wide = ptx_has_part(source, "u64");
    if (source->part_count < 2 || source->part_count > 3 ||
        (source->part_count == 3 && strcmp(source->parts[1], "shared::cluster") != 0) ||
        (!is_wide && !ptx_has_part(source, "u32")))
        sim_refuse_opcode(decoder, source);
    const int32_t a =
        sim_source_slot(decoder, source, sim_operand(decoder, source, 1), is_wide ? 'l' : 'w');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    struct instruction *const emitted =
        sim_emit(decoder, source, is_wide ? run_rank64 : run_rank32);
    emitted->a = a;
    emitted->d = d;
}

const struct family sim_cluster_families[] = {
    {PTX_OP_mapa, decode_mapa},
    {PTX_OP_getctarank, decode_getctarank},
    {PTX_OP_UNKNOWN, NULL},
};
