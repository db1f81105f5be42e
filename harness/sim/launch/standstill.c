/* Whether anything can still change while all blocks that run wait. This depends on what each block
 * has seen since the last change, never on time: a thread that the host has not run has seen
 * nothing, and may be the one that goes on.
 *
 * A warp that only polls, and comes back to registers that it had before, will do so for ever
 * unless memory changes. A block has seen enough when all its warps have come back, or when it has
 * polled for its share of the budget. It starts again at every change: a block goes on, begins to
 * wait or ends. When all blocks that run have seen enough since the same change, there will be no
 * other change. */
#include "budget.h"

#include "worker.h"

#include "sim/machine/grid_barrier.h"

#include <string.h>

enum {
    LEAST_ROUNDS = 16, /* in which all registers have come back */
    LOOKS = 4 /* to find it so, each anew: a block may have looked just before a lock was free */
};

static uint64_t change_of(uint64_t quiet)
{
    return quiet >> CHANGE_SHIFT;
}

#define FACTOR UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t hash, const char *from, size_t bytes)
{
    for (size_t i = 0; i + sizeof hash <= bytes; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        hash = (hash ^ word ^ hash >> 29) * FACTOR;
    }
    return hash;
}

static uint64_t state_of(const struct warp *warp)
{
    const size_t frames = (size_t)(warp->frame - warp->frames) + warp->function->register_bytes;
    uint64_t hash =
        (uint64_t)(uintptr_t)warp->at * 31 + warp->active +
        (warp->path_count ? (uint64_t)warp->polls << 32 : 0); /* until other lanes go first */
    for (int i = 0; i < warp->path_count; i++)
        hash = (hash ^ (uintptr_t)warp->paths[i].at) * FACTOR ^ warp->paths[i].mask;
    hash = mix(hash, warp->frames, frames);
    return mix(hash, warp->local, (size_t)warp->worker->launch->local_limit * WARP_LANES);
}

/* Brent's algorithm for finding a cycle: the state is compared with a kept one, which is replaced
 * after longer and longer times. */
static bool comes_again(struct warp *warp)
{
    const uint64_t state = state_of(warp);
    if (state == warp->kept_state) {
        warp->turns_since = 0;
        warp->has_come_again = true;
    } else if (++warp->turns_since > warp->turns_kept) {
        warp->kept_state = state;
        warp->turns_since = 0;
        warp->turns_kept = 2 * warp->turns_kept + 1;
        warp->has_come_again = false;
    }
    return warp->has_come_again;
}

static bool all_come_again(struct block *block)
{
    bool all = true;
    for (unsigned i = 0; i < block->warp_count; i++)
        if (block->warps[i].state == WARP_READY)
            all &= comes_again(&block->warps[i]);
    return all;
}

static void forget(struct worker *worker)
{
    worker->quiet_rounds = worker->restless_rounds = 0;
    for (unsigned i = 0; i < worker->block.warp_count; i++) {
        struct warp *const warp = &worker->block.warps[i];
        warp->kept_state = 0;
        warp->turns_since = warp->turns_kept = 0;
        warp->has_come_again = false;
    }
}

static bool are_quiet(struct worker *worker)
{
    const bool again = all_come_again(&worker->block);
    worker->quiet_rounds = again ? worker->quiet_rounds + 1 : 0;
    worker->restless_rounds = again ? 0 : worker->restless_rounds + 1;
    return worker->quiet_rounds >= LEAST_ROUNDS;
}

bool sim_only_looks(struct worker *worker, bool begins)
{
    if (begins)
        forget(worker);
    return are_quiet(worker);
}

static void begin_anew(struct worker *worker, uint64_t change)
{
    worker->change = change;
    worker->waited = 0;
    worker->has_seen_enough = false;
    forget(worker);
}

static uint64_t share_of(struct launch *launch, uint64_t most)
{
    return most / (uint64_t)atomic_load(&launch->running);
}

static bool has_seen_enough(struct worker *worker, uint64_t most)
{
    return are_quiet(worker) || worker->waited >= share_of(worker->launch, most);
}

bool sim_stands_still(struct worker *worker, uint64_t most)
{
    struct launch *const launch = worker->launch;
    uint64_t quiet = atomic_load(&launch->quiet);
    if (change_of(quiet) != worker->change) {
        begin_anew(worker, change_of(quiet));
        return false;
    }
    const bool enough = has_seen_enough(worker, most);
    if (worker->has_seen_enough && !enough)
        sim_note_change(launch); /* it was counted in `quiet` */
    if (!enough)
        return false;
    while (!worker->has_seen_enough && change_of(quiet) == worker->change)
        worker->has_seen_enough = atomic_compare_exchange_weak(&launch->quiet, &quiet, quiet + 1);
    quiet = atomic_load(&launch->quiet);
    const unsigned still = (uint32_t)quiet + sim_grid_asleep(launch);
    if (still < (unsigned)atomic_load(&launch->running) ||
        change_of(atomic_load(&launch->quiet)) != worker->change || sim_add_workers(launch))
        return false;
    if (worker->waited >= share_of(launch, most) ||
        atomic_fetch_add(&launch->stood_still, 1) >= LOOKS - 1)
        return true;
    sim_note_change(launch);
    return false;
}
