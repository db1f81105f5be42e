/* Limits what a thread block may execute, so that an endless loop faults and does not hang. A loop
 * that waits for other threads does not count while other threads do more than wait, because they
 * decide how long it takes. */
#include "budget.h"

#include "turn.h"

#include "sim/check/cause.h"
#include "sim/machine/lanes.h"
#include "sim/memory/memory.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdlib.h>

#define MILLION        UINT64_C(1000000)
#define DEFAULT_BUDGET (256 * MILLION)
#define UNKNOWN_BUDGET UINT64_MAX

/* For the whole process, in basic blocks. */
static _Atomic uint64_t budget = UNKNOWN_BUDGET, launch_budget;

void sim_budget_set(uint64_t block, uint64_t launch)
{
    if (!getenv("LAB_SIM_BUDGET"))
        atomic_store(&budget, block);
    atomic_store(&launch_budget, launch);
}

static uint64_t get_budget(void)
{
    uint64_t value = atomic_load_explicit(&budget, memory_order_relaxed);
    if (value == UNKNOWN_BUDGET) {
        const char *const text = getenv("LAB_SIM_BUDGET");
        value = text ? strtoull(text, NULL, 10) * MILLION : DEFAULT_BUDGET;
        atomic_store(&budget, value);
    }
    return value;
}

/* The instruction that a warp is at: its barrier, if it waits at one. */
static const struct instruction *place_of_warp(const struct warp *warp)
{
    return warp->state == WARP_WAITING ? warp->barrier_at : warp->at;
}

/* Each block may be far from its own limit. */
static void fail_together(struct warp *warp, uint64_t all)
{
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: the %" PRIu64 " blocks of the grid have executed %" PRIu64
              " million basic blocks together, far more than the problem takes: is the grid much "
              "larger than intended, or does each block do the work of all?",
              warp->worker->launch->block_count, all / MILLION);
}

void sim_count_turn(struct warp *warp, unsigned basic_blocks)
{
    struct worker *const worker = warp->worker;
    const uint64_t most = get_budget(), most_together = atomic_load(&launch_budget);
    if (warp->has_polled) { /* a poll takes as much of a turn as 32 basic blocks */
        worker->waited += basic_blocks / 8 + 1;
        return;
    }
    worker->executed += basic_blocks;
    const uint64_t all = worker->executed + atomic_load(&worker->launch->executed);
    if (most_together && all >= most_together)
        fail_together(warp, all);
    if (most == 0 || worker->executed < most)
        return;
    const char *file;
    const int line = sim_nearest_line(warp, place_of_warp(warp), &file);
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: the block has executed %" PRIu64
              " million basic blocks and warp %u still goes round the loop at line %d; %s "
              "(LAB_SIM_BUDGET=MILLIONS allows "
              "more, 0 sets no limit)",
              worker->executed / MILLION, warp->index, line,
              sim_is_in_empty_loop(warp, place_of_warp(warp))
                  ? "the loop neither reads nor writes memory: does what its condition compares "
                    "change in "
                    "it? Where it waits for what other threads write, a plain read is made once, "
                    "before it: that takes a volatile pointer or an atomic operation"
                  : "does the loop's condition ever become false?");
}

static struct warp *first_ready(struct block *block)
{
    unsigned i = 0;
    while (block->warps[i].state != WARP_READY)
        i++;
    return &block->warps[i];
}

/* Names what a warp polls, if that is known to be in global memory. */
static void name_polled(const struct warp *warp, char *text, size_t size)
{
    const struct function *const function = warp->function;
    const struct instruction *const poll = warp->poll;
    snprintf(text, size, "what others write");
    if (!poll || poll < function->code || poll >= function->code + function->code_count ||
        poll->a < 0)
        return;
    const sim_bits64 *const slot = sim_slot(warp, poll->a);
    const uint64_t address = slot[__builtin_ctz(warp->active)] + (uint64_t)poll->offset;
    if (sim_memory_find(address))
        sim_name_global(address, sim_element_bytes(sim_source(warp, poll)), text, size);
}

/* Faults when blocks wait for blocks that cannot begin: blocks begin in order, and only as many as
 * fit on the device. */
static void fail_behind_resident(struct warp *warp, uint64_t begun)
{
    const struct launch *const launch = warp->worker->launch;
    const unsigned *const grid = launch->request->grid;
    char what[300];
    name_polled(warp, what, sizeof what);
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: warp %u waits in this loop for %s, and the other blocks that have "
              "begun wait as well; of %" PRIu64 " blocks the GPU runs %" PRIu64
              " at a time, and block (%u, %u, %u), like all after it, begins only when one of "
              "them ends. If one of those is to write it, that never happens: wait only for "
              "blocks that begin earlier, or end the launch there and start another one",
              warp->index, what, launch->block_count, launch->request->resident,
              (unsigned)(begun % grid[0]), (unsigned)(begun / grid[0] % grid[1]),
              (unsigned)(begun / grid[0] / grid[1]));
}

/* Waits have a limit even if execution has none. */
void sim_check_waiting(struct worker *worker)
{
    const uint64_t most = get_budget();
    if (!sim_stands_still(worker, most ? most : DEFAULT_BUDGET))
        return;
    struct warp *const warp = first_ready(&worker->block);
    worker->fails_by_waiting = true;
    uint64_t begun, all;
    sim_turn_progress(&begun, &all);
    if (worker->launch->request->resident && begun < all)
        fail_behind_resident(warp, begun);
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: warp %u waits in this loop, and all that still run only wait as "
              "well, so that nothing changes any more; the usual causes are a flag that nobody "
              "sets, a lock that is not released, and a wait for all blocks of the grid, of which "
              "not all need run at a time: end the launch there and start another one",
              warp->index);
}
