/* Messages about two unordered accesses to a word of global memory. */
#include "global_race.h"

#include "cause.h"
#include "order.h"
#include "switchboard.h"

#include "sim/memory/names.h"
#include "sim/memory/places.h"
#include "sim/memory/warning.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_in_block(const struct warp *warp, const struct finding *finding)
{
    return is_same_block(finding->tag, warp->worker->checks->global.tag);
}

static void name_warp(const struct warp *warp, uint64_t tag, char *text, size_t size)
{
    const unsigned index = tag & GLOBAL_SEVERAL_WARPS;
    if (index == GLOBAL_SEVERAL_WARPS) {
        snprintf(text, size, "other warps of the block");
        return;
    }
    const struct warp *const other = &warp->block->warps[index];
    const int last = other->absent ? __builtin_ctz(other->absent) - 1 : WARP_LANES - 1;
    snprintf(text, size, "warp %u of the block, threads (%u, %u, %u) to (%u, %u, %u)", index,
             other->thread[0][0], other->thread[1][0], other->thread[2][0], other->thread[0][last],
             other->thread[1][last], other->thread[2][last]);
}

static void name_user(const struct warp *warp, const struct finding *finding, char *text,
                      size_t size)
{
    const unsigned *const grid = warp->worker->launch->request->grid;
    const uint64_t number = global_block(finding->tag) - 1;
    if (is_in_block(warp, finding))
        name_warp(warp, finding->tag, text, size);
    else if (global_block(finding->tag) == GLOBAL_SEVERAL_BLOCKS)
        snprintf(text, size, "several blocks");
    else
        snprintf(text, size, "block (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", number % grid[0],
                 number / grid[0] % grid[1], number / grid[0] / grid[1]);
}

static const char *cause_of(const struct warp *warp, const struct instruction *at,
                            const struct finding *finding)
{
    const bool both_write = finding->use == SIM_WRITES && finding->earlier == SIM_WRITES;
    if (!both_write && sim_waits_for_plain(warp, at, global_place(finding->tag)))
        return "a thread waits in a loop for what is read here, but by a plain read, which the "
               "compiler takes out of the loop: it is read once, and the loop never ends. What "
               "other threads write meanwhile is read through a volatile pointer or an atomic "
               "operation, with a __threadfence() where it is set";
    if (finding->use == finding->earlier && !both_write)
        return "an atomic operation of block scope (atomicAdd_block(), cuda::thread_scope_block, "
               ".cta) is atomic among the threads of one block alone; use that of the device, "
               "atomicAdd()";
    const bool is_atomic_beside = finding->use == SIM_CHANGES || finding->earlier == SIM_CHANGES;
    const char *const half = is_in_block(warp, finding) || is_atomic_beside || finding->stayed
                                 ? NULL
                                 : sim_global_missing_half(warp, finding->tag);
    const bool is_update = sim_is_update(warp, at, global_place(finding->tag));
    if (half && (is_update || !both_write))
        return half;
    if (is_update)
        return is_in_block(warp, finding)
                   ? "several threads read this element, change it and write it back, as with +=, "
                     "so that changes get lost: add with atomicAdd(), or let one thread own each "
                     "element; where they shall take turns, a __syncthreads() between them is "
                     "missing"
                   : "several blocks read this element, change it and write it back, as with +=, "
                     "so that changes get lost: add with atomicAdd(), unless the row is to give "
                     "the same bits every time, or let one block own each element: does its index "
                     "have the block's coordinates and size, and do no tiles or shares overlap? A "
                     "fence or __syncthreads() does not help";
    if (both_write && finding->stayed)
        return "the value is the one that is there, but the other block has stored another value "
               "there before: if that comes last, this one is lost; set the start value in an "
               "earlier launch";
    if (is_in_block(warp, finding) && both_write)
        return "two threads compute the same element: the index leaves out a thread coordinate or "
               "takes a wrong distance between rows, values of a thread overlap those of another, "
               "or a sum needs atomicAdd(); where one shall come first, a __syncthreads() between "
               "the two is missing";
    if (finding->earlier == SIM_READS && finding->use == SIM_CHANGES)
        return "who reads while others add sees the value with or without what they add: read it "
               "in an earlier launch, or add to another place";
    if (is_in_block(warp, finding) && sim_is_one_statement(warp, at, global_place(finding->tag)))
        return "one line reads and writes this element in two threads: if each shall have its own, "
               "the index leaves out a thread coordinate or takes a wrong distance between rows, "
               "or more threads are launched than the kernel counts on; if one shall read what "
               "the other wrote, a __syncthreads() between the two is missing";
    if (is_in_block(warp, finding))
        return warp->worker->launch->block_count == 1
                   ? "a __syncthreads() between the two is missing"
                   : "a __syncthreads() between the two is missing, which orders this block alone: "
                     "where other blocks change such elements too, it takes a launch for each "
                     "round";
    if (is_atomic_beside && finding->is_strong)
        return "the write takes away what others have added before it, and no other thread waits "
               "for it: set the start value in an earlier launch, or let the block that counts "
               "last put it back";
    if (is_atomic_beside)
        return "a plain write is not atomic: set the start value in an earlier launch, or write "
               "with an atomic operation too; if others wait until it is written: does the wait "
               "end too soon, when that has only begun?";
    if (both_write)
        return "two blocks compute the same element: the index leaves out a block coordinate, an "
               "edge test is missing, or tiles overlap; sums over several blocks need atomicAdd()";
    if (warp->worker->launch->grid)
        return "a sync() of the grid between the two is missing";
    if (sim_sleeps(warp))
        return "sleeping orders nothing, however long: wait in a loop for a flag or counter that "
               "the other block sets after a __threadfence(), and execute a __threadfence() "
               "after it has been seen; or read in a second launch";
    if (atomic_load(&warp->worker->launch->global->has_releases) && sim_waits_for_flag(warp))
        return "blocks wait in a loop, but the one that reads has not waited for the one that "
               "writes: does the wait leave a block out (a count goes up to gridDim), or is it for "
               "another block's flag?";
    if (atomic_load(&warp->worker->launch->global->has_releases))
        return "a fence alone does not wait for another block: this one has to look at a flag or "
               "counter that the other one sets after its __threadfence(), and execute a "
               "__threadfence() after it has seen it; or it reads in a second launch";
    if (sim_is_one_statement(warp, at, global_place(finding->tag)))
        return "one line reads and writes this element in two blocks: if each shall have its own, "
               "the index leaves out a block coordinate, takes a wrong distance between rows, or "
               "tiles overlap, which begin closer to each other than they are long; what another "
               "block wrote can be read in a second launch alone, and sums over several blocks "
               "need atomicAdd()";
    return "blocks run in any order and at the same time: if this element is not the one that is "
           "meant, the index of one of the two is wrong; else what other blocks write can be read "
           "in a second launch, so that a loop whose rounds read what other blocks wrote in the "
           "round before needs a launch for each round, and no fence or __syncthreads() takes its "
           "place; sums over several blocks need atomicAdd()";
}

void sim_global_describe(const struct warp *warp, const struct finding *finding, char *text,
                         size_t size)
{
    const struct program *const program = warp->worker->launch->program;
    char this[560], place[560], user[160], thread[120];
    if (finding->place)
        sim_name_place(program, finding->place, this, sizeof this);
    sim_name_place(program, global_place(finding->tag), place, sizeof place);
    name_user(warp, finding, user, sizeof user);
    sim_name_thread(warp, finding->lane, thread, sizeof thread);
    snprintf(text, size, "%s %s%s%s by %s and the %s at %s by %s", finding->place ? "the" : "this",
             sim_use_name(finding->use), finding->place ? " at " : "", finding->place ? this : "",
             thread, sim_use_name(finding->earlier), place, user);
}

/* Whether one of two stores to a word overruns the end of a row. The registers of the warps show an
 * overrun, so it is unknown for an earlier store of another block. */
static bool find_overrun(const struct warp *warp, const struct instruction *at, uint64_t address,
                         const struct finding *finding, struct overrun *found)
{
    const unsigned bytes = sim_element_bytes(sim_source(warp, at));
    const unsigned index = finding->tag & GLOBAL_SEVERAL_WARPS;
    if (finding->use != SIM_WRITES || finding->earlier != SIM_WRITES)
        return false;
    if (sim_find_overrun(warp, at, finding->lane, address, bytes, found))
        return true;
    if (!is_in_block(warp, finding) || index >= warp->block->warp_count)
        return false;
    const struct warp *const other = &warp->block->warps[index];
    const struct instruction *const earlier =
        sim_find_instruction(warp->worker->launch->program, global_place(finding->tag));
    return earlier && other->function == warp->function &&
           sim_find_overrun_of_warp(other, earlier, address, bytes, found);
}

/* Whether two blocks may store the same word because of an overrun: the last block of a row of the
 * grid goes on into the array's next row, where the first block of the next row begins. */
static bool may_be_overrun(const struct warp *warp, uint64_t address, const struct finding *finding)
{
    const unsigned *const grid = warp->worker->launch->request->grid;
    const unsigned threads = warp->worker->launch->request->block[0];
    const unsigned here = warp->block->id[0];
    const unsigned there = (unsigned)((global_block(finding->tag) - 1) % grid[0]);
    const struct sim_allocation *const array = sim_memory_find(address);
    uint64_t row, column;
    return finding->use == SIM_WRITES && finding->earlier == SIM_WRITES &&
           !is_in_block(warp, finding) && global_block(finding->tag) != GLOBAL_SEVERAL_BLOCKS &&
           here + there == grid[0] - 1 && (here == 0 || there == 0) &&
           sim_row_element(array, address, &row, &column) && row > 0 &&
           (grid[0] > 1 ? column * grid[0] < array->columns : column + array->columns < threads);
}

static void say_cause(const struct warp *warp, const struct instruction *at, uint64_t address,
                      const struct finding *finding, char *text, size_t size)
{
    struct overrun overrun;
    if (finding->use == SIM_WRITES && finding->earlier == SIM_WRITES &&
        find_overrun(warp, at, address, finding, &overrun))
        sim_say_overrun_of(warp, &overrun, text, size);
    else if (sim_say_exchanged_element(warp, finding->lane, address, text, size))
        return;
    else if (may_be_overrun(warp, address, finding))
        snprintf(text, size,
                 "the last block of a row of the grid goes on past the last column of %s, into "
                 "the next row, where no guard such as column < %" PRIu64 " stands at the store; "
                 "else the index leaves out a block coordinate, or tiles overlap",
                 sim_memory_find(address)->name, sim_memory_find(address)->columns);
    else
        snprintf(text, size, "%s", cause_of(warp, at, finding));
}

void sim_global_fault(struct warp *warp, const struct instruction *at, const char *storage,
                      const struct finding *finding)
{
    char what[300], both[1400], cause[600];
    const uint64_t address = global_address(warp, at, storage);
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, 4, what, sizeof what);
    sim_global_describe(warp, finding, both, sizeof both);
    if (!finding->cause)
        say_cause(warp, at, address, finding, cause, sizeof cause);
    sim_fault(warp, at, finding->lane, SIM_RACE, address, "race on %s: %s come in any order; %s",
              what, both, finding->cause ? finding->cause : cause);
}

void sim_global_warn(struct warp *warp, const struct instruction *at, const char *storage,
                     const struct finding *finding)
{
    char what[300], both[800];
    if (!sim_checks_for(SIM_CHECK_RACE) ||
        !sim_warning_is_new(warp, at, global_place(finding->tag)))
        return;
    sim_name_global(global_address(warp, at, storage), 4, what, sizeof what);
    sim_global_describe(warp, finding, both, sizeof both);
    sim_warn(warp, at, SIM_RACE,
             "%s: %s come in any order; harmless only because the value written is the one that is "
             "there",
             what, both);
}
