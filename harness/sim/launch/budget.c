/* How long a block and a launch may run: limits what a block may execute, so that an endless loop
 * faults and does not hang, and finds that nothing can change any more. A loop that waits for other
 * threads does not count while other threads do more than wait, because they decide how long it
 * takes. */
#include "worker.h"

#include "launch.h"

#include "sim/access/access.h"
#include "sim/check/cause.h"
#include "sim/machine/grid_barrier.h"
#include "sim/machine/lanes.h"
#include "sim/memory/memory.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether anything can still change while all blocks that run wait. This depends on what each block
 * has seen since the last change, never on time: a thread that the host has not run has seen
 * nothing, and may be the one that goes on.
 *
 * A warp that only polls, and comes back to registers that it had before, will do so for ever
 * unless memory changes. A block has seen enough when all its warps have come back, or when it has
 * polled for its share of the budget. It starts again at every change: a block goes on, begins to
 * wait or ends. When all blocks that run have seen enough since the same change, there will be no
 * other change. */

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

static uint64_t mix_paths(uint64_t hash, const struct path *paths, int count)
{
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)paths[i].at) * FACTOR ^ paths[i].mask;
    return hash;
}

static uint64_t state_of(const struct warp *warp)
{
    const size_t frames = (size_t)(warp->frame - warp->frames) + warp->function->register_bytes;
    size_t local = warp->local_base + warp->function->local_bytes;
    uint64_t hash =
        (uint64_t)(uintptr_t)warp->at * 31 + warp->active +
        (warp->path_count ? (uint64_t)warp->polls << 32 : 0); /* until other lanes go first */
    hash = mix_paths(hash, warp->paths, warp->path_count);
    for (uint32_t used = warp->held_used; used; used &= used - 1) {
        const struct held *const held = warp->held[__builtin_ctz(used)];
        const size_t its_local = held->local_base + held->function->local_bytes;
        local = its_local > local ? its_local : local;
        hash = mix_paths(hash ^ held->active, held->paths, held->path_count);
        if (held->frame_bytes)
            hash = mix(hash, held->frames, held->frame_bytes);
    }
    hash = mix(hash, warp->frames, frames);
    return mix(hash, warp->local, local * WARP_LANES);
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

/* The warp of a number among those of a worker's block, or of its cluster's blocks. */
static struct warp *warp_at(struct worker *worker, unsigned number)
{
    const unsigned warps = worker->block.warp_count;
    return &sim_member(worker, number / warps)->block.warps[number % warps];
}

static unsigned warp_count(const struct worker *worker)
{
    return sim_member_count(worker) * worker->block.warp_count;
}

static bool all_come_again(struct worker *worker)
{
    bool all = true;
    for (unsigned i = 0; i < warp_count(worker); i++)
        if (warp_at(worker, i)->state == WARP_READY)
            all &= comes_again(warp_at(worker, i));
    return all;
}

static void forget(struct worker *worker)
{
    worker->quiet_rounds = worker->restless_rounds = 0;
    for (unsigned i = 0; i < warp_count(worker); i++) {
        struct warp *const warp = warp_at(worker, i);
        warp->kept_state = 0;
        warp->turns_since = warp->turns_kept = 0;
        warp->has_come_again = false;
    }
}

static bool are_quiet(struct worker *worker)
{
    const bool again = all_come_again(worker);
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

/* After a round of a worker that waits: true when nothing can change any more. `most`: the basic
 *  blocks that all workers may execute while they wait, if their registers keep changing. */
static bool stands_still(struct worker *worker, uint64_t most)
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

/* Limits what a thread block may execute, so that an endless loop faults and does not hang. A loop
 * that waits for other threads does not count while other threads do more than wait, because they
 * decide how long it takes. */

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

/* Names the loops around where a warp is, from the inside: any of them may be the one without end.
 */
static void name_loops(const struct warp *warp, char *text, size_t size)
{
    const struct ptx_function *const function = warp->function->ptx;
    const int here = (int)(sim_source(warp, place_of_warp(warp)) - function->instructions);
    const char *file;
    int last = 0;
    size_t length = 0;
    for (int i = here; i < function->instruction_count; i++) {
        const struct ptx_instruction *const back = &function->instructions[i];
        if (!ptx_goes_back(back, i) || back->operands[0].target > here || !back->line ||
            back->line == last || length >= size)
            continue;
        last = back->line;
        length += (size_t)snprintf(text + length, size - length, "%s line %d",
                                   length ? ", or the one around it at" : "the loop at", last);
    }
    if (length == 0)
        snprintf(text, size, "a loop, now at line %d",
                 sim_nearest_line(warp, place_of_warp(warp), &file));
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
        sim_leader(worker)->waited += basic_blocks / 8 + 1;
        return;
    }
    worker->executed += basic_blocks;
    const uint64_t all = worker->executed + atomic_load(&worker->launch->executed);
    if (most_together && all >= most_together)
        fail_together(warp, all);
    if (most == 0 || worker->executed < most)
        return;
    char loops[200];
    name_loops(warp, loops, sizeof loops);
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: the block has executed %" PRIu64
              " million basic blocks and warp %u still goes round %s; %s "
              "(LAB_SIM_BUDGET=MILLIONS allows "
              "more, 0 sets no limit)",
              worker->executed / MILLION, warp->index, loops,
              sim_is_in_empty_loop(warp, place_of_warp(warp))
                  ? "the loop neither reads nor writes memory: does what its condition compares "
                    "change in "
                    "it? Where it waits for what other threads write, a plain read is made once, "
                    "before it: that takes a volatile pointer or an atomic operation"
                  : "does the loop's condition ever become false?");
}

static struct warp *first_ready(struct worker *worker)
{
    unsigned i = 0;
    while (warp_at(worker, i)->state != WARP_READY)
        i++;
    return warp_at(worker, i);
}

/* Where something is short the cause is nearer than at a warp that waits for that one. */
static struct warp *first_short(struct worker *worker)
{
    for (unsigned i = 0; i < worker->block.warp_count; i++)
        if (worker->block.warps[i].state == WARP_READY &&
            sim_waits_for_the_rest(&worker->block.warps[i]))
            return &worker->block.warps[i];
    return first_ready(worker);
}

/* Names what a warp polls, if that is known to be in global memory. True: it is pinned memory,
 * which the host writes as a rule. */
static bool name_polled(const struct warp *warp, char *text, size_t size)
{
    const struct function *const function = warp->function;
    const struct instruction *const poll = warp->poll;
    snprintf(text, size, "what others write");
    if (!poll || poll < function->code || poll >= function->code + function->code_count ||
        poll->a < 0)
        return false;
    const sim_bits64 *const slot = sim_slot(warp, poll->a);
    const uint64_t address = slot[__builtin_ctz(warp->active)] + (uint64_t)poll->offset;
    const struct sim_allocation *const polled = sim_memory_find(address);
    if (!polled)
        return false;
    sim_name_global(address, sim_element_bytes(sim_source(warp, poll)), text, size);
    return polled->kind == SIM_MEMORY_HOST;
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

/* "; 8 warps from 4 to 11 wait meanwhile at barriers 1, 2": of those that wait at a barrier of
 * threads. */
static void name_waiting(const struct block *block, char *text, size_t size)
{
    unsigned first = 0, last = 0, count = 0;
    uint32_t barriers = 0;
    for (unsigned i = 0; i < block->warp_count; i++) {
        const struct warp *const warp = &block->warps[i];
        if (warp->state != WARP_WAITING || warp->barrier >= BARRIER_COUNT)
            continue;
        first = count == 0 ? i : first;
        last = i;
        count++;
        barriers |= UINT32_C(1) << warp->barrier;
    }
    const bool several = (barriers & (barriers - 1)) != 0;
    size_t used = 0;
    text[0] = '\0';
    if (count == 1)
        used = (size_t)snprintf(text, size, "; warp %u waits", first);
    else if (count > 1)
        used = (size_t)snprintf(text, size, "; %u warps from %u to %u wait", count, first, last);
    for (int i = 0, named = 0; i < BARRIER_COUNT && used < size; i++)
        if (barriers >> i & 1)
            used += (size_t)snprintf(text + used, size - used, "%s %d",
                                     named++   ? ","
                                     : several ? " meanwhile at barriers"
                                               : " meanwhile at barrier",
                                     i);
}

/* Waits have a limit even if execution has none. */
void sim_check_waiting(struct worker *worker)
{
    const uint64_t most = get_budget();
    if (!stands_still(worker, most ? most : DEFAULT_BUDGET))
        return;
    struct warp *const warp = first_short(worker);
    worker->fails_by_waiting = true;
    uint64_t begun, all;
    sim_turn_progress(&begun, &all);
    if (worker->launch->request->resident && begun < all && !worker->cluster)
        fail_behind_resident(warp, begun);
    char what[500], others[120];
    name_waiting(&worker->block, others, sizeof others);
    if (sim_describe_mbarrier(warp, what, sizeof what))
        sim_fault(warp, warp->poll, __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
                  "no end in sight: warp %u waits at %s%s", warp->index, what, others);
    if (name_polled(warp, what, sizeof what))
        sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_UNSUPPORTED, 0,
                  "no end in sight: warp %u waits in this loop for %s. If the host is to write "
                  "it, that cannot be simulated: a kernel runs when it is launched, and the host "
                  "goes on when it has ended. Let the host write before the launch",
                  warp->index, what);
    sim_fault(warp, place_of_warp(warp), __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: warp %u waits in this loop, and all that still run only wait as "
              "well, so that nothing changes any more; the usual causes are a flag that nobody "
              "sets, a lock that is not released, and a wait for all blocks of the grid, of which "
              "not all need run at a time: end the launch there and start another one",
              warp->index);
}
