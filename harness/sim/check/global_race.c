/* What is found when an access clashes with a tag in global memory: whether the two may be ordered
 * after all, whether the value stayed as it was, and what is said. */
#include "global_race.h"

#include "cause.h"
#include "switchboard.h"
#include "global_tags.h"
#include "global_message.h"
#include "lost_update.h"
#include "order_sums.h"
#include "warning.h"
#include "order_warps.h"

#include "sim/machine/grid_barrier.h"
#include "sim/memory/names.h"
#include "sim/memory/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Tags ---- */

static uint64_t block_of(uint64_t tag)
{
    return tag >> GLOBAL_BLOCK_SHIFT;
}

static bool is_same_block(uint64_t tag, uint64_t mine)
{
    return block_of(tag) == block_of(mine);
}

static uint32_t epoch_of(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_EPOCH_SHIFT) & ((1 << GLOBAL_EPOCH_BITS) - 1);
}

static uint32_t place_of_tag(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_PLACE_SHIFT) & GLOBAL_FAR_PLACE;
}

static bool is_of_several(uint64_t tag)
{
    return block_of(tag) == GLOBAL_SEVERAL_BLOCKS ||
           (tag & GLOBAL_SEVERAL_WARPS) == GLOBAL_SEVERAL_WARPS;
}

/* Several writers of one value: whose it is cannot be told, and does not matter. */
static bool is_shared_value(uint64_t writer, uint64_t mine)
{
    return is_of_several(writer) &&
           (block_of(writer) == GLOBAL_SEVERAL_BLOCKS || is_same_block(writer, mine));
}

bool sim_global_is_atomic(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, place_of_tag(tag));
    return source && ptx_does(source, PTX_ATOMIC);
}

static bool is_of_block_scope(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, place_of_tag(tag));
    return source && ptx_has_part(source, "cta");
}

/* Whether nobody can have learned of the earlier access: in the stretch from barrier to barrier
 * that it is in, and since, its block has signalled by other warps alone, which did not wait for
 * it. */
static bool is_unheard_of(const struct block_release *release, uint64_t earlier)
{
    const uint32_t closed = atomic_load(&release->closed); /* before what it belongs to */
    const uint64_t signals = atomic_load(&release->signals);
    const uint32_t epoch = epoch_of(earlier);
    return signals & SIGNALS_OTHERS &&
           epoch >= (uint32_t)(signals >> 32 & ~(SIGNALS_OTHERS >> 32)) &&
           (closed == 0 || epoch < closed) && !is_of_several(earlier) &&
           !(signals >> (earlier & GLOBAL_SEVERAL_WARPS) & 1);
}

/* The same of a tag, where warps wait for each other in barriers of the whole block alone. */
static bool lacks_barrier(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const released = atomic_load(&warp->worker->launch->global->released);
    return released && !warp->worker->checks->clocks &&
           block_of(earlier) != GLOBAL_SEVERAL_BLOCKS &&
           is_unheard_of(&released[block_of(earlier) - 1], earlier);
}

/* Whether the last barrier of the grid that the block has passed orders it after the earlier access
 * of another one: that was done before its block arrived there. */
static bool is_before_grid_barrier(const struct warp *warp, uint64_t earlier)
{
    const uint32_t waits = warp->block->grid_waits;
    const struct block_release *const released =
        atomic_load(&warp->worker->launch->global->released);
    if (waits == 0)
        return false;
    return !released || block_of(earlier) == GLOBAL_SEVERAL_BLOCKS ||
           epoch_of(earlier) <
               atomic_load(&released[block_of(earlier) - 1].arrived[(waits - 1) % GRID_ARRIVALS]);
}

/* What the other block has done of a release; NULL: nothing, or it is of several. */
static struct block_release *release_of_tag(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const released = atomic_load(&warp->worker->launch->global->released);
    return released && block_of(earlier) != GLOBAL_SEVERAL_BLOCKS ? &released[block_of(earlier) - 1]
                                                                  : NULL;
}

static bool is_fenced_behind(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const release = release_of_tag(warp, earlier);
    return !release || atomic_load(&release->fenced) >= epoch_of(earlier);
}

/* Whether the warp has seen what the other block set behind a fence, and executed a fence since. */
static bool has_acquired(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const release = release_of_tag(warp, earlier);
    return release ? sim_global_has_acquired(warp, release, epoch_of(earlier))
                   : warp->worker->checks->global.acquired_at[warp->index] != 0;
}

static bool lacks_relay(const struct warp *warp, uint64_t earlier)
{
    return release_of_tag(warp, earlier) &&
           sim_global_lacks_relay(warp, block_of(earlier), epoch_of(earlier));
}

/* Whether the block may come after an access of another one. PTX's memory model asks for a release
 * by the one block behind its access (a fence, and a strong store or an atomic operation behind it,
 * of the same warp or behind a barrier), and an acquire by the other one before its own (a look at
 * what was set, and a fence behind that). Through which places and other blocks the one came to the
 * other is not followed, but for flags that a block hands on which has acquired nothing itself: any
 * other way counts. What other blocks have learned so may come by the barrier
 * of the grid, too. */
bool sim_global_is_synchronized(const struct warp *warp, uint64_t earlier)
{
    const bool has_waited = warp->block->grid_waits > 0;
    return is_before_grid_barrier(warp, earlier) ||
           (atomic_load(&warp->worker->launch->global->has_releases) &&
            is_fenced_behind(warp, earlier) && !lacks_barrier(warp, earlier) &&
            (has_waited || (has_acquired(warp, earlier) && !lacks_relay(warp, earlier))));
}

/* The same of any access. What was done atomically is ordered after it where it lies. */
static bool may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine)
{
    return (!is_same_block(earlier, mine) && sim_global_is_synchronized(warp, earlier)) ||
           (warp->worker->checks->global.acquired && sim_global_is_atomic(warp, earlier));
}

/* ---- What is said ---- */

/* A clash of an access with an earlier one. */
struct finding {
    int lane;
    const char *verb, *earlier;
    uint64_t tag; /* of the earlier one */
    bool is_same_block;
    bool stayed;    /* a write, of the value that was there */
    bool is_strong; /* the write */
};

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
    const uint64_t number = block_of(finding->tag) - 1;
    if (finding->is_same_block)
        name_warp(warp, finding->tag, text, size);
    else if (block_of(finding->tag) == GLOBAL_SEVERAL_BLOCKS)
        snprintf(text, size, "several blocks");
    else
        snprintf(text, size, "block (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", number % grid[0],
                 number / grid[0] % grid[1], number / grid[0] / grid[1]);
}

/* Which half of a release and an acquire is missing between two blocks that tell each other how far
 * they are; NULL: this one has asked nobody. */
static const char *missing_half(const struct warp *warp, uint64_t earlier)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    struct block_release *const released = atomic_load(&warp->worker->launch->global->released);
    struct block_release *const release = release_of_tag(warp, earlier);
    const uint64_t ours = checks->tag >> GLOBAL_BLOCK_SHIFT;
    if (!checks->acquired)
        return NULL;
    if (lacks_barrier(warp, earlier))
        return "the other block tells how far it is by another warp, which has not waited for this "
               "one: a __threadfence() orders the accesses of its own thread alone; a "
               "__syncthreads() belongs behind it, before the count or the flag";
    if (release && atomic_load(&release->fenced_inside) >= epoch_of(earlier) &&
        (atomic_load(&release->fenced) < epoch_of(earlier) || checks->acquired_at[warp->index]))
        return "the other block's fence is for its own threads alone: a fence of block scope "
               "(__threadfence_block(), .cta) does not reach another block; use __threadfence()";
    if (!atomic_load(&warp->worker->launch->global->has_releases) ||
        (release && atomic_load(&release->fenced) < epoch_of(earlier)))
        return "a flag or counter orders only what a __threadfence() stands between: the writing "
               "block needs one before it sets the flag, and the reading block one after it has "
               "seen the flag";
    if ((!checks->looked || (release && atomic_load(&release->release_count) == 0)) &&
        sim_has_block_scope(warp))
        return "the flag or counter is set or read for the block alone: an atomic operation or "
               "access of block scope (atomicAdd_block(), cuda::thread_scope_block, .cta) tells "
               "another block nothing; use the scope of the device";
    if (sim_global_latest_acquired(checks) > checks->acquired_at[warp->index])
        return "another warp of the block has looked at the flag or counter, and this one has not "
               "waited for it: a __syncthreads() belongs behind the look and its __threadfence()";
    if (!checks->acquired_at[warp->index])
        return released && ours && atomic_load(&released[ours - 1].fenced_inside)
                   ? "the fence behind the look at the flag is for the block alone: a fence of "
                     "block scope (__threadfence_block(), .cta) does not reach another block; use "
                     "__threadfence()"
                   : "the reading block needs a __threadfence() after it has seen the flag or "
                     "counter: a volatile read or an atomic operation acquires nothing by itself, "
                     "so that what is read behind it may come from before, out of the L1 cache";
    if (lacks_relay(warp, earlier))
        return "this block has seen the flag of a third one, which has seen the other one's flag, "
               "but with no acquire: a __threadfence() or an acquire belongs behind each look in "
               "such a chain, also where the block itself reads nothing";
    return "the other block's __threadfence() stands behind the flag or counter that it sets, or "
           "this block has looked before that fence: the fence belongs between the data and the "
           "flag";
}

static const char *cause_of(const struct warp *warp, const struct instruction *at,
                            const struct finding *finding)
{
    const bool both_write =
        strcmp(finding->verb, "write") == 0 && strcmp(finding->earlier, "write") == 0;
    if (!both_write && sim_waits_for_plain(warp, at, place_of_tag(finding->tag)))
        return "a thread waits in a loop for what is read here, but by a plain read, which the "
               "compiler takes out of the loop: it is read once, and the loop never ends. What "
               "other threads write meanwhile is read through a volatile pointer or an atomic "
               "operation, with a __threadfence() where it is set";
    if (strcmp(finding->verb, finding->earlier) == 0 && !both_write)
        return "an atomic operation of block scope (atomicAdd_block(), cuda::thread_scope_block, "
               ".cta) is atomic among the threads of one block alone; use that of the device, "
               "atomicAdd()";
    const bool is_atomic_beside = strcmp(finding->verb, "atomic access") == 0 ||
                                  strcmp(finding->earlier, "atomic access") == 0;
    const char *const half = finding->is_same_block || is_atomic_beside || finding->stayed
                                 ? NULL
                                 : missing_half(warp, finding->tag);
    const bool is_update = sim_is_update(warp, at, place_of_tag(finding->tag));
    if (half && (is_update || !both_write))
        return half;
    if (is_update)
        return finding->is_same_block
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
    if (finding->is_same_block && both_write)
        return "two threads compute the same element: the index leaves out a thread coordinate, "
               "values of a thread overlap those of another, or a sum needs atomicAdd(); where one "
               "shall come first, a __syncthreads() between the two is missing";
    if (strcmp(finding->earlier, "read") == 0 && strcmp(finding->verb, "atomic access") == 0)
        return "who reads while others add sees the value with or without what they add: read it "
               "in an earlier launch, or add to another place";
    if (finding->is_same_block && sim_is_one_statement(warp, at, place_of_tag(finding->tag)))
        return "one line reads and writes this element in two threads: if each shall have its own, "
               "the index leaves out a thread coordinate or takes a wrong distance between rows, "
               "or more threads are launched than the kernel counts on; if one shall read what "
               "the other wrote, a __syncthreads() between the two is missing";
    if (finding->is_same_block)
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
               "with "
               "an atomic operation too";
    if (both_write)
        return "two blocks compute the same element: the index leaves out a block coordinate, an "
               "edge test is missing, or tiles overlap; sums over several blocks need atomicAdd()";
    if (warp->worker->launch->grid)
        return "a sync() of the grid between the two is missing";
    if (sim_sleeps(warp))
        return "sleeping orders nothing, however long: wait in a loop for a flag or counter that "
               "the other block sets behind a __threadfence(), and execute a __threadfence() "
               "after it has been seen; or read in a second launch";
    if (atomic_load(&warp->worker->launch->global->has_releases))
        return "a fence alone does not wait for another block: this one has to look at a flag or "
               "counter that the other one sets behind its __threadfence(), and execute a "
               "__threadfence() after it has seen it; or it reads in a second launch";
    return "blocks run in any order and at the same time: what other blocks write can be read in a "
           "second launch, so that a loop whose rounds read what other blocks wrote in the round "
           "before "
           "needs a launch for each round, and no fence or __syncthreads() takes its place; sums "
           "over several blocks need atomicAdd()";
}

/* "this write by thread (3, 0, 0) of block (1, 0, 0) and the read at kernel.cu:12 by block ..." */
static void describe(const struct warp *warp, const struct finding *finding, char *text,
                     size_t size)
{
    char place[560], user[160], thread[120];
    sim_name_place(warp->worker->launch->program, place_of_tag(finding->tag), place, sizeof place);
    name_user(warp, finding, user, sizeof user);
    sim_name_thread(warp, finding->lane, thread, sizeof thread);
    snprintf(text, size, "this %s by %s and the %s at %s by %s", finding->verb, thread,
             finding->earlier, place, user);
}

static uint64_t address_of(const struct warp *warp, const struct instruction *at,
                           const char *storage)
{
    return (uint64_t)(uintptr_t)storage - warp->worker->caches[at->cache].bias;
}

/* Whether one of two stores to a word is of a thread that goes on behind the end of a row. Of an
 * earlier one of another warp the registers tell, those of another block are gone. */
static bool find_overrun(const struct warp *warp, const struct instruction *at, uint64_t address,
                         const struct finding *finding, struct overrun *found)
{
    const unsigned bytes = sim_element_bytes(sim_source(warp, at));
    const unsigned index = finding->tag & GLOBAL_SEVERAL_WARPS;
    if (strcmp(finding->verb, "write") != 0 || strcmp(finding->earlier, "write") != 0)
        return false;
    if (sim_find_overrun(warp, at, finding->lane, address, bytes, found))
        return true;
    if (!finding->is_same_block || index >= warp->block->warp_count)
        return false;
    const struct warp *const other = &warp->block->warps[index];
    const struct instruction *const earlier =
        sim_find_instruction(warp->worker->launch->program, place_of_tag(finding->tag));
    return earlier && other->function == warp->function &&
           sim_find_overrun_of_warp(other, earlier, address, bytes, found);
}

/* Of stores of two blocks: whether the last block of a row of the grid may have gone on where the
 * first one of another row begins. */
static bool may_be_overrun(const struct warp *warp, uint64_t address, const struct finding *finding)
{
    const unsigned *const grid = warp->worker->launch->request->grid;
    const unsigned threads = warp->worker->launch->request->block[0];
    const unsigned here = warp->block->id[0];
    const unsigned there = (unsigned)((block_of(finding->tag) - 1) % grid[0]);
    const struct sim_allocation *const array = sim_memory_find(address);
    uint64_t row, column;
    return strcmp(finding->verb, "write") == 0 && strcmp(finding->earlier, "write") == 0 &&
           !finding->is_same_block && block_of(finding->tag) != GLOBAL_SEVERAL_BLOCKS &&
           here + there == grid[0] - 1 && (here == 0 || there == 0) &&
           sim_row_element(array, address, &row, &column) && row > 0 &&
           (grid[0] > 1 ? column * grid[0] < array->columns : column + array->columns < threads);
}

static void say_cause(const struct warp *warp, const struct instruction *at, uint64_t address,
                      const struct finding *finding, char *text, size_t size)
{
    struct overrun overrun;
    if (find_overrun(warp, at, address, finding, &overrun))
        sim_say_overrun(&overrun, text, size);
    else if (may_be_overrun(warp, address, finding))
        snprintf(text, size,
                 "the last block of a row of the grid goes on behind the last column of %s, into "
                 "the next row, where no guard such as column < %" PRIu64 " stands at the store; "
                 "else the index leaves out a block coordinate, or tiles overlap",
                 sim_memory_find(address)->name, sim_memory_find(address)->columns);
    else
        snprintf(text, size, "%s", cause_of(warp, at, finding));
}

static void report(struct warp *warp, const struct instruction *at, const char *storage,
                   const struct finding *finding)
{
    char what[300], both[800], cause[600];
    const uint64_t address = address_of(warp, at, storage);
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, 4, what, sizeof what);
    describe(warp, finding, both, sizeof both);
    say_cause(warp, at, address, finding, cause, sizeof cause);
    sim_fault(warp, at, finding->lane, SIM_RACE, address, "race on %s: %s come in any order; %s",
              what, both, cause);
}

void sim_global_report_update(struct warp *warp, const struct instruction *at, int lane,
                              const char *storage, uint64_t earlier, const char *cause)
{
    const bool is_atomic = !ptx_does(sim_source(warp, at), PTX_STORES);
    const struct finding finding = {
        .lane = lane,
        .verb = is_atomic ? "atomic access" : "write",
        .earlier = sim_global_is_atomic(warp, earlier) ? "atomic access" : "write",
        .tag = earlier,
        .is_same_block =
            is_same_block(earlier, global_tag_of(warp, at, &warp->worker->checks->global))};
    char what[300], both[800];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address_of(warp, at, storage), 4, what, sizeof what);
    describe(warp, &finding, both, sizeof both);
    sim_fault(warp, at, lane, SIM_RACE, address_of(warp, at, storage),
              "race on %s: %s come in any order; %s", what, both, cause);
}

static void warn(struct warp *warp, const struct instruction *at, const char *storage,
                 const struct finding *finding)
{
    char what[300], both[800];
    if (!sim_checks_for(SIM_CHECK_RACE) ||
        !sim_warning_is_new(warp, at, place_of_tag(finding->tag)))
        return;
    sim_name_global(address_of(warp, at, storage), 4, what, sizeof what);
    describe(warp, finding, both, sizeof both);
    sim_warn(warp, at,
             "%s: %s come in any order; harmless only because the value written is the one that is "
             "there",
             what, both);
}

/* ---- Reads ---- */

/* A read of a word that clashes with the word's writer. */
static void meet_writer(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {lane,  "read", "write", writer, is_same_block(writer, mine),
                                    false, false};
    if (!is_foreign(writer, mine) || is_shared_value(writer, mine) ||
        may_be_ordered(warp, writer, mine))
        return;
    if (!(writer & GLOBAL_SAME))
        report(warp, at, storage, &finding);
    warn(warp, at, storage, &finding);
}

/* An atomic operation on a word that others have written plainly. Where they left it as it was, it
 * matters whether the word has changed since or does so now.
 * @return whether that is to be seen. */
static bool meet_writer_atomically(struct warp *warp, const struct instruction *at, int lane,
                                   const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {
        lane, "atomic access", "write", writer, is_same_block(writer, mine), false, false};
    if (!is_foreign(writer, mine) || may_be_ordered(warp, writer, mine))
        return false;
    const bool is_same = writer & GLOBAL_SAME;
    const bool was_changed = writer & GLOBAL_CHANGED && (is_same || !finding.is_same_block);
    if (was_changed || !(is_same || is_shared_value(writer, mine)))
        report(warp, at, storage, &finding);
    return true;
}

/* Others have read what an atomic operation now adds floats to: of a sum under way, nobody can tell
 * how much they saw. Operations that compare, and counters, are often looked at first. */
static void meet_reader(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t reader)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {
        lane, "atomic access", "read", reader, is_same_block(reader, mine), false, false};
    if (sim_adds_floats(warp, at) && !may_be_ordered(warp, reader, mine))
        report(warp, at, storage, &finding);
}

void sim_global_read_clash(struct warp *warp, const struct instruction *at,
                           const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < bytes / 4; i++)
            meet_writer(warp, at, (int)lane, storage + 4 * i, tags->writer[word + i]);
    }
}

/* Barriers do not help: the cache may hold what was there before. */
static void meet_constant(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    char what[300], place[600];
    if (!mine || !writer || writer & GLOBAL_SAME || is_shared_value(writer, mine))
        return;
    sim_name_global(address_of(warp, at, storage), 4, what, sizeof what);
    sim_name_place(warp->worker->launch->program, place_of_tag(writer), place, sizeof place);
    sim_fault(
        warp, at, lane, SIM_RACE, address_of(warp, at, storage),
        "race on %s: this read goes through the read-only cache (__ldg(), or a pointer that is "
        "const and __restrict__), and the write at %s is of the same launch; the cache need "
        "not see it, with or without a barrier between the two",
        what, place);
}

void sim_global_constant_read(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!warp->worker->checks->global.tag)
        return;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++)
            meet_constant(warp, at, (int)lane, storage + 4 * i,
                          tags->writer[global_word(tags, storage) + i]);
    }
}

/* ---- Strong stores of what others add to ---- */

static struct strong_store *store_of(struct global_launch *launch, const char *storage)
{
    return &launch->strong_stores[(uintptr_t)storage / 4 % STRONG_STORES];
}

/* Whether the block has learned that the other one is behind its access. What a look is for need
 * not be fenced here: both accesses are strong. */
static bool has_heard(const struct warp *warp, uint64_t earlier)
{
    return is_before_grid_barrier(warp, earlier) ||
           (warp->worker->checks->global.had_asked &&
            atomic_load(&warp->worker->launch->global->has_releases) &&
            is_fenced_behind(warp, earlier));
}

static bool reads_messages(const struct warp *warp)
{
    return warp->worker->launch->program->reads_messages;
}

/* Behind sim_message_write(). */
static void note_strong_store(struct warp *warp, const char *storage, uint64_t tag)
{
    struct global_launch *const launch = warp->worker->launch->global;
    const struct global_checks *const checks = &warp->worker->checks->global;
    struct strong_store *const store = store_of(launch, storage);
    atomic_store(&store->storage, NULL);
    atomic_store(&store->tag, tag);
    atomic_store(&store->when, (uint64_t)checks->barrier << 32 | checks->strong_count);
    atomic_store(&store->storage, storage);
    atomic_store(&launch->has_strong_stores, true);
}

void sim_global_strong_store(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes)
{
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    if (!tags || !warp->worker->checks->global.tag)
        return;
    struct global_launch *const launch = warp->worker->launch->global;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const uint64_t adder = tags->reader[global_word(tags, storage)];
        struct strong_store *const store = store_of(launch, storage);
        const struct finding finding = {(int)lane, "write", "atomic access", adder, false,
                                        false,     true};
        const bool is_here = atomic_load(&store->storage) == storage;
        const uint64_t writer = atomic_load(&store->tag);
        if (at->flags & FLAG_UPDATE && is_here && atomic_load(&store->storage) == storage)
            sim_lost_update(warp, at, (int)lane, storage, writer);
        if (adder & GLOBAL_CHANGED && is_foreign(adder, mine) && !is_same_block(adder, mine) &&
            sim_global_is_atomic(warp, adder) && !may_be_ordered(warp, adder, mine))
            report(warp, at, storage, &finding);
        for (unsigned i = 0; reads_messages(warp) && i < bytes / 4; i++)
            sim_message_write(warp, tags, global_word(tags, storage) + i, mine);
        note_strong_store(warp, storage, mine);
    }
}

/* What another block has stored strongly is added to. */
static void meet_strong_store(struct warp *warp, const struct instruction *at, int lane,
                              const char *storage)
{
    struct strong_store *const store = store_of(warp->worker->launch->global, storage);
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const bool is_here = atomic_load(&store->storage) == storage;
    const uint64_t writer = atomic_load(&store->tag);
    const struct finding finding = {lane, "atomic access", "write", writer, false, false, true};
    if (is_here && atomic_load(&store->storage) == storage && !is_same_block(writer, mine) &&
        !has_heard(warp, writer))
        report(warp, at, storage, &finding);
}

/* ---- Messages ---- */

/* Without the folder. */
static void name_short(const struct program *program, uint32_t place, char *text, size_t size)
{
    char whole[560];
    sim_name_place(program, place, whole, sizeof whole);
    const char *const slash = strrchr(whole, '/');
    snprintf(text, size, "%s", slash ? slash + 1 : whole);
}

/* What has to be moved, or what is missing, between data and their flag. */
static void say_order(const struct warp *warp, const struct message *message, char *text,
                      size_t size)
{
    const struct program *const program = warp->worker->launch->program;
    const bool is_here = is_same_block(message->data, warp->worker->checks->global.tag);
    const bool lacks_release = is_here ||
                               !atomic_load(&warp->worker->launch->global->has_releases) ||
                               !is_fenced_behind(warp, message->data);
    const bool lacks_acquire = !message->is_acquired;
    const char *const half = missing_half(warp, message->data);
    char flag[560], look[560];
    name_short(program, place_of_tag(message->flag), flag, sizeof flag);
    name_short(program, message->look, look, sizeof look);
    if (message->order == MESSAGE_SET_LATE)
        snprintf(text, size,
                 "the reader goes by a flag or counter that is set at %s, before that write, and "
                 "read at %s: first the data, then a __threadfence(), then the flag",
                 flag, look);
    else if (message->order == MESSAGE_READ_EARLY)
        snprintf(text, size,
                 "the value is read before the flag or counter that tells of it, which is set at "
                 "%s and read at %s, so that it may be an old one: first wait for the flag, then a "
                 "__threadfence(), then read the data",
                 flag, look);
    else
        snprintf(text, size,
                 "the reader goes by a flag or counter that is set at %s and read at %s, but "
                 "volatile, relaxed and atomic accesses to other words are in no order with "
                 "that%s%s%s%s",
                 flag, look,
                 lacks_release ? "; between the write and the setting of the flag, a "
                                 "__threadfence() or a release (st.release, memory_order_release) "
                                 "is missing"
                               : "",
                 lacks_acquire ? "; between the look at the flag and this read, a __threadfence() "
                                 "or an acquire (ld.acquire, memory_order_acquire) is missing"
                               : "",
                 lacks_release || lacks_acquire || !half ? "" : "; ",
                 lacks_release || lacks_acquire || !half ? "" : half);
}

/* Of a read at `place`. */
static void report_message(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage, const struct message *message, uint32_t place)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    char what[300], read[560], write[560], user[160], thread[120], order[1200];
    const struct finding finding = {
        .tag = message->data,
        .is_same_block = is_same_block(message->data, global_tag_of(warp, at, checks))};
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address_of(warp, at, storage), 4, what, sizeof what);
    sim_name_thread(warp, lane, thread, sizeof thread);
    sim_name_place(warp->worker->launch->program, place, read, sizeof read);
    sim_name_place(warp->worker->launch->program, place_of_tag(message->data), write, sizeof write);
    name_user(warp, &finding, user, sizeof user);
    say_order(warp, message, order, sizeof order);
    if (place == at->cache)
        snprintf(read, sizeof read, "this read");
    sim_fault(warp, at, lane, SIM_RACE, address_of(warp, at, storage),
              "race on %s: %s%s by %s and the write at %s by %s come in any order; %s", what,
              place == at->cache ? "" : "the read at ", read, thread, write, user, order);
}

/* A look at what others set, and whether the thread has read before it what that tells of. */
static void look_at(struct warp *warp, const struct instruction *at, const struct global_tags *tags,
                    size_t word)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    struct message early;
    if (sim_message_look(warp, at, tags, word, &early) && is_foreign(early.data, mine))
        report_message(warp, at, early.lane, early.storage, &early, early.read);
}

/* A volatile or relaxed read, whether by way of a flag or of what was set behind one. */
static void read_message(struct warp *warp, const struct instruction *at, int lane,
                         const char *storage, const struct global_tags *tags)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const size_t word = global_word(tags, storage);
    struct message message;
    if (at->flags & FLAG_LOOK)
        look_at(warp, at, tags, word);
    else if (sim_message_find(warp, tags, word, &message)) {
        if (is_foreign(message.data, mine) &&
            (is_same_block(message.data, mine) || !sim_global_is_synchronized(warp, message.data)))
            report_message(warp, at, lane, storage, &message, at->cache);
    } else if (at->flags & FLAG_EARLY) {
        sim_message_read_early(warp, at, lane, tags, word);
    }
}

static bool counts(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    return ptx_has_part(source, "add") || ptx_has_part(source, "inc") ||
           ptx_has_part(source, "dec");
}

/* A counter that a block adds to is set back by another one behind the flag that this one has seen,
 * so that what it adds may be taken away. */
static void meet_reset(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage)
{
    const struct program *const program = warp->worker->launch->program;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct strong_store *const store = store_of(warp->worker->launch->global, storage);
    struct message message;
    char what[300], both[800], flag[560], look[560];
    if (atomic_load(&store->storage) != storage ||
        !sim_message_find_reset(warp, atomic_load(&store->tag), atomic_load(&store->when),
                                &message) ||
        is_same_block(message.data, mine) || is_before_grid_barrier(warp, message.data) ||
        !sim_checks_for(SIM_CHECK_RACE))
        return;
    const struct finding finding = {
        .lane = lane, .verb = "atomic access", .earlier = "write", .tag = message.data};
    sim_name_global(address_of(warp, at, storage), 4, what, sizeof what);
    describe(warp, &finding, both, sizeof both);
    name_short(program, place_of_tag(message.flag), flag, sizeof flag);
    name_short(program, message.look, look, sizeof look);
    sim_fault(warp, at, lane, SIM_RACE, address_of(warp, at, storage),
              "race on %s: %s come in any order; the flag that lets others go on is set at %s and "
              "read at %s, and the write, which takes away what they add, stands behind it: set "
              "the counter back first, then a __threadfence(), then the flag",
              what, both, flag, look);
}

static size_t element_size(const struct ptx_instruction *source)
{
    return source ? ptx_type_size(ptx_part_type(source->parts[source->part_count - 1])) : 0;
}

/* Whether some instruction reads the other half of a pair of words by itself. */
static bool reads_other_half(const struct warp *warp, const struct ptx_instruction *one)
{
    const struct ptx_function *const function = warp->function->ptx;
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const other = &function->instructions[i];
        const int64_t apart = ptx_does(other, PTX_LOADS) && other->operand_count > 1
                                  ? other->operands[1].offset - one->operands[1].offset
                                  : 0;
        if ((apart == 4 || apart == -4) && other->operands[1].reg == one->operands[1].reg &&
            element_size(other) == 4)
            return true;
    }
    return false;
}

/* The store that set a word last, and how many bytes it has at once. */
static size_t size_of_write(const struct warp *warp, uint64_t writer)
{
    return writer
               ? element_size(sim_find_place(warp->worker->launch->program, place_of_tag(writer)))
               : 0;
}

/* A value of 8 bytes is written at once and read in halves, or the other way round: one half may be
 * old. */
static void meet_halves(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, const struct global_tags *tags)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const size_t word = global_word(tags, storage), size = element_size(source);
    const uint64_t writer = sim_message_writer(tags, word);
    const size_t written = size_of_write(warp, writer);
    const struct finding finding = {
        .lane = lane, .verb = "read", .earlier = "write", .tag = writer};
    char what[300], both[800];
    if (!(size == 4 && written == 8 && reads_other_half(warp, source)) &&
        !(size == 8 && written == 4 &&
          size_of_write(warp, sim_message_writer(tags, word + 1)) == 4))
        return;
    if (is_same_block(writer, mine) || sim_global_is_synchronized(warp, writer) ||
        !sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address_of(warp, at, storage), 8, what, sizeof what);
    describe(warp, &finding, both, sizeof both);
    sim_fault(warp, at, lane, SIM_RACE, address_of(warp, at, storage),
              "race on %s: %s come in any order, and one has the 8 bytes at once, the other in two "
              "halves, of which one may be old: write and read them in one access, as an unsigned "
              "long long",
              what, both);
}

void sim_global_strong_load(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!tags || !warp->worker->checks->global.tag || !reads_messages(warp) ||
        at == warp->block->grid_read)
        return;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        meet_halves(warp, at, (int)lane, storage, tags);
        for (unsigned i = 0; i < bytes / 4; i++)
            read_message(warp, at, (int)lane, storage + 4 * i, tags);
    }
}

/* ---- Atomic operations ---- */

/* Another block has changed the same word atomically, one of the two for its own threads alone. */
static void meet_narrow(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t earlier)
{
    const struct finding finding = {
        .lane = lane, .verb = "atomic access", .earlier = "atomic access", .tag = earlier};
    if ((at->flags & FLAG_BLOCK || is_of_block_scope(warp, earlier)) &&
        sim_global_is_atomic(warp, earlier) && !sim_global_is_synchronized(warp, earlier))
        report(warp, at, storage, &finding);
}

static void release(struct warp *warp, const struct instruction *at)
{
    struct sim_checks *const checks = warp->worker->checks;
    sim_global_release(warp, at->flags & FLAG_BLOCK);
    sim_global_order(&checks->global);
}

/* An atomic operation tells others how far the warp is, and the warp how far they are. */
static void announce(struct warp *warp, const struct instruction *at, int lane)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct global_launch *const launch = warp->worker->launch->global;
    const bool is_first = lane == __builtin_ctz(warp->active);
    if (launch && is_first && at->flags & FLAG_BLOCK)
        atomic_store(&launch->has_narrow, true);
    if (is_first && at->flags & FLAG_RELEASE)
        release(warp, at);
    if (is_first && !(at->flags & FLAG_BLOCK) && !sim_adds_floats(warp, at)) {
        sim_global_set(warp);
        if (ptx_does(sim_source(warp, at), PTX_UPDATES)) /* red gives nothing to look at */
            checks->looked |= UINT32_C(1) << warp->index;
        sim_global_other_look(warp, at);
    }
    sim_global_signal(warp, true);
}

void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const bool arrives = sim_grid_is_counter(warp->worker->launch, address_of(warp, at, storage));
    checks->had_asked = checks->acquired;
    if (arrives)
        sim_global_arrive(warp);
    else
        announce(warp, at, lane);
    checks->meets_same = 0;
    if (tags && checks->tag && bytes >= 4) {
        const uint64_t mine = global_tag_of(warp, at, checks);
        const size_t word = global_word(tags, storage);
        const bool has_narrow = atomic_load(&warp->worker->launch->global->has_narrow);
        if (counts(warp, at) && !arrives && reads_messages(warp))
            meet_reset(warp, at, lane, storage);
        if (at->flags & FLAG_LOOK && !arrives && reads_messages(warp))
            look_at(warp, at, tags, word);
        if (at->flags & FLAG_READ_FOR_UPDATE)
            sim_update_read(warp, at, storage);
        if (at->flags & FLAG_UPDATE)
            sim_update_by_atomic(warp, at, lane, storage, tags->reader[word]);
        for (unsigned i = 0; i < bytes / 4; i++) {
            if (meet_writer_atomically(warp, at, lane, storage + 4 * i, tags->writer[word + i]))
                checks->meets_same |= UINT32_C(1) << i;
            const uint64_t updated = tags->reader[word + i], joined = join_readers(updated, mine);
            if (is_foreign(updated, mine) && is_of_several(updated) &&
                sim_global_is_atomic(warp, updated))
                sim_check_sum_order(warp, at, lane, address_of(warp, at, storage));
            if (has_narrow && is_foreign(updated, mine) && !is_same_block(updated, mine))
                meet_narrow(warp, at, lane, storage + 4 * i, updated);
            if (is_foreign(updated, mine) && !sim_global_is_atomic(warp, updated))
                meet_reader(warp, at, lane, storage + 4 * i, updated);
            if (((updated ^ mine) & GLOBAL_OWN) == 0 && sim_adds_floats(warp, at))
                sim_global_add_own(warp, at, lane, storage + 4 * i, mine);
            if (joined != updated)
                tags->reader[word + i] = joined;
        }
    }
    /* others do not wait for a sum under way */
    if (!checks->acquired && !arrives && !sim_adds_floats(warp, at))
        checks->acquired = true;
}

void sim_global_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes, bool changed, bool counts)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if ((at->flags & (FLAG_ACQUIRE | FLAG_BLOCK)) == FLAG_ACQUIRE)
        sim_global_acquire(warp);
    if (!tags || !checks->tag || bytes < 4)
        return;
    if (changed && counts && atomic_load(&warp->worker->launch->global->has_strong_stores))
        meet_strong_store(warp, at, lane, storage);
    const uint64_t mine = global_tag_of(warp, at, checks);
    for (unsigned i = 0; changed && reads_messages(warp) && i < bytes / 4; i++)
        sim_message_write(warp, tags, global_word(tags, storage) + i, mine);
    if (changed && ptx_has_part(sim_source(warp, at), "exch") && !(at->flags & FLAG_UPDATE))
        note_strong_store(warp, storage, mine);
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint64_t *const writer = &tags->writer[global_word(tags, storage) + i];
        uint64_t *const reader = &tags->reader[global_word(tags, storage) + i];
        const struct finding finding = {
            lane, "atomic access", "write", *writer, is_same_block(*writer, mine), false, false};
        const bool meets = checks->meets_same >> i & 1;
        if (meets && changed)
            report(warp, at, storage + 4 * i, &finding);
        if (meets && !is_shared_value(*writer, mine))
            warn(warp, at, storage + 4 * i, &finding);
        if (changed && *writer & GLOBAL_SAME && is_same_block(*writer, mine))
            *writer |= GLOBAL_CHANGED;
        if (changed && counts)
            *reader |= GLOBAL_CHANGED;
    }
}

void sim_global_strong(struct warp *warp, const struct instruction *at, bool is_store)
{
    if (at == warp->block->grid_read) /* what that orders is known (may_be_ordered) */
        return;
    warp->worker->checks->global.acquired = true;
    if (!is_store)
        sim_checks_look(warp);
    if (!is_store && !(at->flags & FLAG_LOOK))
        sim_global_other_look(warp, at);
    if (at->flags & FLAG_RELEASE)
        release(warp, at);
    if (is_store && !(at->flags & FLAG_BLOCK))
        sim_global_set(warp);
    else if (!(at->flags & FLAG_BLOCK))
        warp->worker->checks->global.looked |= UINT32_C(1) << warp->index;
    sim_global_signal(warp, true);
}

/* ---- Writes ---- */

void sim_global_write_clash(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_checks *const checks = &warp->worker->checks->global;
    const unsigned words = bytes / 4;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const size_t word = global_word(tags, place_of(places, lane, bytes));
        for (unsigned i = 0; i < words; i++)
            checks->before[lane * words + i] =
                (struct global_clash){tags->writer[word + i], tags->reader[word + i]};
    }
}

/* The tag of a word that two warps or blocks have written with the same value. */
static uint64_t join_writers(uint64_t writer, uint64_t mine)
{
    const uint64_t rest = (mine & (uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT) |
                          (writer & (GLOBAL_SAME | GLOBAL_CHANGED)) | GLOBAL_SEVERAL_WARPS;
    if (is_same_block(writer, mine))
        return rest | (mine >> GLOBAL_EPOCH_SHIFT << GLOBAL_EPOCH_SHIFT);
    return rest | (uint64_t)GLOBAL_SEVERAL_BLOCKS << GLOBAL_BLOCK_SHIFT;
}

/* Whether a store of the value that is there would have met another one, had it come earlier. */
static bool depends_on_order(const struct finding *finding)
{
    const bool was_changed = finding->tag & GLOBAL_CHANGED;
    return was_changed && (strcmp(finding->earlier, "write") == 0
                               ? !finding->is_same_block
                               : strcmp(finding->earlier, "atomic access") == 0);
}

/* The tag of who has written the word again: what else its block has done to it stays known. */
static uint64_t take_over(uint64_t writer, uint64_t mine, bool stayed, bool several)
{
    const bool is_ours = writer != 0 && is_same_block(writer, mine);
    const bool was_changed = writer & GLOBAL_CHANGED && !(writer & GLOBAL_SAME);
    const bool changes = !stayed && is_changed_again(writer, mine, several);
    const uint64_t changed = changes || (is_ours && was_changed) ? GLOBAL_CHANGED : 0;
    return mine | changed | (stayed && (writer == 0 || writer & GLOBAL_SAME) ? GLOBAL_SAME : 0);
}

/* What a write of a word meets; @return the word's new writer. */
static uint64_t settle_word(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, const struct global_clash *before, bool stayed,
                            bool several)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const uint64_t writer = before->writer, reader = before->reader;
    const bool meets_writer = is_foreign(writer, mine) && !may_be_ordered(warp, writer, mine);
    const bool meets_reader = is_foreign(reader, mine) && !may_be_ordered(warp, reader, mine);
    const bool was_atomic = !meets_writer && meets_reader && sim_global_is_atomic(warp, reader);
    const uint64_t tag = meets_writer ? writer : reader;
    const struct finding finding = {lane,
                                    "write",
                                    meets_writer ? "write"
                                    : was_atomic ? "atomic access"
                                                 : "read",
                                    tag,
                                    is_same_block(tag, mine),
                                    stayed,
                                    false};
    if ((meets_writer || meets_reader) && (!stayed || depends_on_order(&finding)))
        report(warp, at, storage, &finding);
    if (meets_writer || meets_reader)
        warn(warp, at, storage, &finding);
    if (meets_writer)
        return join_writers(writer, mine);
    return take_over(writer, mine, stayed, several);
}

void sim_global_settle(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned words = bytes / 4;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < words; i++) {
            const uint64_t writer = tags->writer[word + i];
            /* what nothing clashed with before the store: who is there now has come meanwhile */
            const struct global_clash none = {is_foreign(writer, mine) ? 0 : writer, 0};
            const bool stayed =
                memcmp(storage + 4 * i, &checks->old[lane * words + i], sizeof(uint32_t)) == 0;
            tags->writer[word + i] =
                settle_word(warp, at, (int)lane, storage + 4 * i,
                            checks->clashes ? &checks->before[lane * words + i] : &none, stayed,
                            has_several_pieces(warp, places));
            if (!stayed && tags->reader[word + i])
                tags->reader[word + i] = 0;
        }
    }
}

/* ---- A lane by itself ---- */

typedef void check(struct warp *warp, const struct instruction *at, const struct places *places,
                   unsigned bytes, const struct global_tags *tags, struct global_checks *checks);

static void check_alone(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, unsigned bytes, check *run)
{
    const uint32_t active = warp->active;
    struct places places;
    places.pattern = PATTERN_SAME;
    places.base = (char *)storage;
    warp->active = UINT32_C(1) << lane;
    run(warp, at, &places, bytes, warp->worker->caches[at->cache].tags,
        &warp->worker->checks->global);
    warp->active = active;
}

static void read_alone(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes, const struct global_tags *tags, struct global_checks *checks)
{
    check_global_read(warp, at, places, bytes, tags, checks);
}

static void store_alone(struct warp *warp, const struct instruction *at,
                        const struct places *places, unsigned bytes, const struct global_tags *tags,
                        struct global_checks *checks)
{
    check_global_write(warp, at, places, bytes, tags, checks);
}

static void stored_alone(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes,
                         const struct global_tags *tags, struct global_checks *checks)
{
    check_global_stored(warp, at, places, bytes, tags, checks);
}

void sim_global_lane_read(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, unsigned bytes)
{
    check_alone(warp, at, lane, storage, bytes, read_alone);
}

void sim_global_lane_store(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage, unsigned bytes)
{
    check_alone(warp, at, lane, storage, bytes, store_alone);
}

void sim_global_lane_stored(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes)
{
    check_alone(warp, at, lane, storage, bytes, stored_alone);
}
