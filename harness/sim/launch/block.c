/* Runs the warps of one block in turns until all have ended. */
#include "budget.h"
#include "crew.h"
#include "standstill.h"
#include "worker.h"

#include "sim/check/checks.h"
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
    IDLE_ROUNDS = 128 /* rounds of nothing but polls before the block counts as waiting */
};

static void poison_local(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = LOCAL_POISON;
}

/* Registers start as zero, shared and local memory as NaN: a run repeats itself exactly. */
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
    memset(warp->frame, 0, (size_t)entry->register_bytes);
    if (entry->local_bytes) /* else that page may not be there yet, which is slow even so */
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
    block->unlike[0] = block->unlike[1] = NULL;
    worker->executed = 0;
    block->busy_barriers = 0;
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

/* For those who can do something: all that wait together take a part of one core. */
static void leave_the_core(struct launch *launch)
{
    enum { EACH_NS = 20000, MOST_NS = 5000000 };
    const long wanted = (long)atomic_load(&launch->waiting) * EACH_NS;
    nanosleep(&(struct timespec){.tv_nsec = wanted < MOST_NS ? wanted : MOST_NS}, NULL);
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
        if (only_polled && block->sleeper) {
            sim_worker_waits(worker, true);
            sim_grid_sleep(worker, sim_crew_size(worker->launch));
            sim_worker_waits(worker, false);
            continue;
        }
        idle_rounds = only_polled ? idle_rounds + 1 : 0;
        sim_worker_waits(worker, idle_rounds >= IDLE_ROUNDS);
        if (idle_rounds < IDLE_ROUNDS)
            continue;
        if (idle_rounds % IDLE_ROUNDS == 0 && sim_all_wait(worker->launch))
            sim_add_workers(worker->launch);
        leave_the_core(worker->launch);
        sim_check_waiting(worker);
    }
    sim_worker_waits(worker, false);
    sim_grid_block_ends(worker);
    if (worker->checks && block->live_warps == 0)
        sim_checks_settle(worker->checks);
}
