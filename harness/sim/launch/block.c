/* Runs the warps of a block, or of the blocks of a cluster, in turns until all have ended. */
#include "worker.h"

#include "sim/check/order.h"
#include "sim/check/switchboard.h"
#include "sim/check/worker_checks.h"
#include "sim/check/unwritten.h"
#include "sim/control/control.h"
#include "sim/machine/grid_barrier.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

#include <string.h>
#include <time.h>

enum {
    QUANTUM = 4096,
    POISON = 0xff,
    PATIENCE = 1024,  /* polls before other lanes of the warp go first */
    LOOK = 64,        /* how many polls one poll counts as, in a block that seems to poll in vain */
    RESTLESS = 64,    /* rounds without repeated registers after which that no longer holds */
    IDLE_ROUNDS = 128 /* rounds of only polls before any block counts as waiting */
};

static void poison_local(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = LOCAL_POISON;
}

/* Registers start as zero, shared and local memory as NaN, so that every run has the same
 * results. */
static void start_warp(struct warp *warp)
{
    const struct function *const entry = warp->worker->launch->program->entry;
    warp->frame = warp->frames;
    warp->function = entry;
    warp->exited = warp->absent;
    warp->active = warp->live = ~warp->exited;
    warp->path_count = warp->call_depth = 0;
    warp->stack = 0;
    warp->last_callee = NULL;
    warp->local_base = 0;
    warp->at = entry->code;
    warp->state = WARP_READY;
    warp->held_used = warp->switches = 0;
    warp->sync_mask = warp->sync_ahead = 0;
    warp->cluster_arrivals = 0;
    warp->polls = 0;
    warp->poll = NULL;
    memset(&warp->products, 0, sizeof warp->products);
    memset(warp->frame, 0, (size_t)entry->register_bytes);
    if (entry->local_bytes) /* otherwise the page may not exist yet, and touching it is slow */
        poison_local((uint32_t *)warp->local, entry->local_bytes / 4 * WARP_LANES);
}

static void start_block(struct worker *worker)
{
    struct block *const block = &worker->block;
    uint64_t cluster = worker->block_number / worker->launch->cluster_size;
    unsigned rank = worker->rank;
    for (int i = 0; i < 3; i++) {
        const unsigned size = worker->launch->cluster[i];
        const unsigned clusters = worker->launch->request->grid[i] / size;
        block->id[i] = (unsigned)(cluster % clusters) * size + rank % size;
        cluster /= clusters;
        rank /= size;
    }
    block->live_warps = block->warp_count;
    block->has_left = false;
    block->poll_weight = atomic_load(&worker->launch->waiting) > 0 ? LOOK : 1;
    block->unlike[0] = block->unlike[1] = NULL;
    worker->executed = 0;
    block->busy_barriers = 0;
    block->mbarrier_count = 0;
    block->grid_waits = 0;
    block->grid_read = NULL;
    memset(block->barriers, 0, sizeof block->barriers);
    if (worker->checks)
        sim_checks_start_block(worker);
    if (worker->launch->shared_bytes)
        memset(block->shared, POISON, worker->launch->shared_bytes);
    for (unsigned i = 0; i < block->warp_count; i++)
        start_warp(&block->warps[i]);
}

static void run_warp(struct warp *warp)
{
    const struct instruction *at;
    const struct sim_checks *const checks = warp->worker->checks;
    warp->budget = QUANTUM;
    warp->has_polled = false;
    if (warp->polls > PATIENCE) {
        sim_split_waiting(warp);
        warp->polls = 1;
    }
    at = warp->at;
    do
        at = at->run(warp, at);
    while (at);
    if (warp->state == WARP_EXITED) {
        warp->block->live_warps--;
        warp->worker->executed += (unsigned)(QUANTUM - warp->budget);
        sim_barriers_after_exit(warp->block);
        if (warp->block->live_warps == 0 && checks && checks->clocks)
            sim_clocks_block_ends(warp->worker);
        if (warp->worker->cluster)
            sim_cluster_after_exit(warp);
    } else {
        sim_count_turn(warp, (unsigned)(QUANTUM - warp->budget));
    }
}

/* Gives every warp of a block that can run a turn; false if there was none. */
static bool run_warps(struct block *block, bool *only_polled)
{
    bool any = false;
    const bool is_turned = block->warps[0].worker->launch->turned;
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct warp *const warp = &block->warps[is_turned ? block->warp_count - 1 - i : i];
        if (warp->state != WARP_READY)
            continue;
        any = true;
        run_warp(warp);
        *only_polled = *only_polled && warp->state != WARP_EXITED && warp->has_polled;
    }
    return any;
}

static bool run_round(struct worker *leader, bool *only_polled)
{
    bool any = false;
    const unsigned count = sim_member_count(leader);
    *only_polled = true;
    for (unsigned i = 0; i < count; i++) {
        struct worker *const worker =
            sim_member(leader, leader->launch->turned ? count - 1 - i : i);
        sim_refresh_caches(worker);
        worker->block.sleeper = NULL;
        any |= run_warps(&worker->block, only_polled);
    }
    return any;
}

static bool has_live_warps(struct worker *leader)
{
    bool any = false;
    for (unsigned rank = 0; rank < sim_member_count(leader); rank++)
        any |= sim_member(leader, rank)->block.live_warps > 0;
    return any;
}

/* The processor time of this thread, in nanoseconds. */
static long computed(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (long)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Sleeps, so that all waiting workers together use only a part of one core, and workers with work
 * have the rest. If all wait, the sleep is short, because the standstill should be found soon. */
static void leave_the_core(struct worker *worker)
{
    enum { LEAST_NS = 20000, MOST_NS = 50000000 };
    struct launch *const launch = worker->launch;
    const long now = computed(), round = now - worker->computed;
    const long each = round > LEAST_NS ? round : LEAST_NS;
    const long all = sim_all_wait(launch) ? LEAST_NS : each * (long)atomic_load(&launch->waiting);
    worker->computed = now;
    nanosleep(&(struct timespec){.tv_nsec = all < MOST_NS ? all : MOST_NS}, NULL);
}

/* Whether the blocks wait for others, after `rounds` rounds of only polls. If their warps come back
 * to the same registers, a few polls in each turn are enough. */
static bool waits(struct worker *leader, unsigned rounds)
{
    unsigned weight = 1;
    bool waits = false;
    if (rounds > 0) {
        waits = leader->is_waiting || sim_only_looks(leader, rounds == 1) || rounds >= IDLE_ROUNDS;
        weight = leader->quiet_rounds > 0             ? LOOK
                 : leader->restless_rounds > RESTLESS ? 1
                                                      : leader->block.poll_weight;
    }
    for (unsigned rank = 0; rank < sim_member_count(leader); rank++)
        sim_member(leader, rank)->block.poll_weight = weight;
    return waits;
}

static void end_block(struct worker *worker)
{
    atomic_fetch_add(&worker->launch->executed, worker->executed);
    sim_grid_block_ends(worker);
    if (worker->checks && worker->block.live_warps == 0)
        sim_checks_settle(worker->checks);
}

void sim_run_cluster(struct worker *leader)
{
    struct launch *const launch = leader->launch;
    unsigned idle_rounds = 0;
    for (unsigned rank = 0; rank < sim_member_count(leader); rank++)
        start_block(sim_member(leader, rank));
    if (leader->cluster)
        sim_cluster_start(leader->cluster);
    while (has_live_warps(leader)) {
        bool only_polled;
        if (atomic_load(&launch->last_cluster) < leader->place || sim_grid_is_hopeless(launch))
            break;
        if (!run_round(leader, &only_polled))
            sim_barrier_deadlock(leader);
        if (leader->has_drawn)
            sim_share_draws(leader);
        if (only_polled && leader->block.sleeper) {
            sim_worker_waits(leader, true);
            sim_grid_sleep(leader, sim_crew_size(launch));
            sim_worker_waits(leader, false);
            continue;
        }
        idle_rounds = only_polled ? idle_rounds + 1 : 0;
        sim_worker_waits(leader, waits(leader, idle_rounds));
        if (!leader->is_waiting)
            continue;
        if ((leader->block.poll_weight > 1 || idle_rounds % IDLE_ROUNDS == 0) &&
            sim_all_wait(launch))
            sim_add_workers(launch);
        leave_the_core(leader);
        sim_check_waiting(leader);
    }
    sim_worker_waits(leader, false);
    for (unsigned rank = 0; rank < sim_member_count(leader); rank++)
        end_block(sim_member(leader, rank));
}
