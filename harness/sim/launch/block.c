/* Runs the warps of one block in turns until all have ended. */
#include "budget.h"
#include "worker.h"

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
    warp->parked = false;
    warp->sync_mask = warp->sync_ahead = 0;
    warp->polls = 0;
    warp->poll = NULL;
    memset(warp->frame, 0, (size_t)entry->register_bytes);
    if (entry->local_bytes) /* otherwise the page may not exist yet, and touching it is slow */
        poison_local((uint32_t *)warp->local, entry->local_bytes / 4 * WARP_LANES);
}

static void start_block(struct worker *worker)
{
    struct block *const block = &worker->block;
    const unsigned *const grid = worker->launch->request->grid;
    block->id[0] = (unsigned)(worker->block_number % grid[0]);
    block->id[1] = (unsigned)(worker->block_number / grid[0] % grid[1]);
    block->id[2] = (unsigned)(worker->block_number / grid[0] / grid[1]);
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
    const struct instruction *at = warp->at;
    warp->budget = QUANTUM;
    warp->has_polled = false;
    do
        at = at->run(warp, at);
    while (at);
    if (warp->state == WARP_EXITED) {
        warp->block->live_warps--;
        warp->worker->executed += (unsigned)(QUANTUM - warp->budget);
        sim_barriers_after_exit(warp->block);
    } else {
        sim_count_turn(warp, (unsigned)(QUANTUM - warp->budget));
    }
    if (warp->state == WARP_READY && warp->polls > PATIENCE) {
        sim_split_waiting(warp);
        warp->polls = 1;
    }
}

/* Gives every warp that can run a turn; false if there was none. */
static bool run_round(struct block *block, bool *only_polled)
{
    bool any = false;
    const bool is_turned = block->warps[0].worker->launch->turned;
    *only_polled = true;
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

/* Whether a block waits for others, after `rounds` rounds of only polls. If its warps come back to
 * the same registers, a few polls in each turn are enough. */
static bool waits(struct worker *worker, unsigned rounds)
{
    if (rounds == 0) {
        worker->block.poll_weight = 1;
        return false;
    }
    const bool waits = worker->is_waiting || sim_only_looks(worker, rounds == 1);
    if (worker->quiet_rounds > 0)
        worker->block.poll_weight = LOOK;
    else if (worker->restless_rounds > RESTLESS)
        worker->block.poll_weight = 1;
    return waits || rounds >= IDLE_ROUNDS;
}

void sim_run_block(struct worker *worker)
{
    struct block *const block = &worker->block;
    unsigned idle_rounds = 0;
    start_block(worker);
    while (block->live_warps > 0) {
        bool only_polled;
        if (atomic_load(&worker->launch->last_block) < worker->place ||
            sim_grid_is_hopeless(worker->launch))
            break;
        sim_refresh_caches(worker);
        block->sleeper = NULL;
        if (!run_round(block, &only_polled))
            sim_barrier_deadlock(block);
        if (worker->has_drawn)
            sim_share_draws(worker);
        if (only_polled && block->sleeper) {
            sim_worker_waits(worker, true);
            sim_grid_sleep(worker, sim_crew_size(worker->launch));
            sim_worker_waits(worker, false);
            continue;
        }
        idle_rounds = only_polled ? idle_rounds + 1 : 0;
        sim_worker_waits(worker, waits(worker, idle_rounds));
        if (!worker->is_waiting)
            continue;
        if ((block->poll_weight > 1 || idle_rounds % IDLE_ROUNDS == 0) &&
            sim_all_wait(worker->launch))
            sim_add_workers(worker->launch);
        leave_the_core(worker);
        sim_check_waiting(worker);
    }
    sim_worker_waits(worker, false);
    atomic_fetch_add(&worker->launch->executed, worker->executed);
    sim_grid_block_ends(worker);
    if (worker->checks && block->live_warps == 0)
        sim_checks_settle(worker->checks);
}
