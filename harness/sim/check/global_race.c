/* What is found when an access clashes with a tag in global memory: whether the two may be ordered
 * after all, whether the value stayed as it was, and what is said. */
#include "global_race.h"

#include "cause.h"
#include "checks.h"
#include "global_tags.h"
#include "sum_order.h"
#include "warning.h"
#include "warp_clock.h"

#include "sim/machine/grid_barrier.h"
#include "sim/memory/names.h"

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

static bool is_atomic(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, place_of_tag(tag));
    return source &&
           (strcmp(source->parts[0], "atom") == 0 || strcmp(source->parts[0], "red") == 0);
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

/* Whether what the block has done since may order it after the earlier access. Fences and atomic
 * operations order more than can be followed, so that any that might do so counts: a fence of the
 * one block after its access, with a signal of the same warp or behind a barrier, and an atomic
 * operation or a strong access of the other one before. What other blocks have learned so may come
 * by the barrier of the grid, too. */
static bool may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine)
{
    const struct global_launch *const launch = warp->worker->launch->global;
    const bool is_fenced = atomic_load(&launch->has_releases);
    if (!is_same_block(earlier, mine) && is_before_grid_barrier(warp, earlier))
        return true;
    if (!warp->worker->checks->global.acquired && !(is_fenced && warp->block->grid_waits > 0))
        return false;
    if (!is_same_block(earlier, mine) && is_fenced) {
        struct block_release *const released = atomic_load(&launch->released);
        if (!released || block_of(earlier) == GLOBAL_SEVERAL_BLOCKS ||
            (atomic_load(&released[block_of(earlier) - 1].fenced) >= epoch_of(earlier) &&
             !lacks_barrier(warp, earlier)))
            return true;
    }
    return is_atomic(warp, earlier);
}

/* ---- What is said ---- */

/* A clash of an access with an earlier one. */
struct finding {
    int lane;
    const char *verb, *earlier;
    uint64_t tag; /* of the earlier one */
    bool is_same_block;
    bool stayed; /* a write, of the value that was there */
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
    if (sim_is_update(warp, at, place_of_tag(finding->tag)))
        return finding->is_same_block
                   ? "several threads read this element, change it and write it back, as with +=, "
                     "so that changes get lost: add with atomicAdd(), or let one thread own each "
                     "element; where they shall take turns, a __syncthreads() between them is "
                     "missing"
                   : "several blocks read this element, change it and write it back, as with +=, "
                     "so "
                     "that changes get lost: add with atomicAdd(), or let one block own each "
                     "element; a fence or __syncthreads() does not help";
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
    if (finding->is_same_block)
        return warp->worker->launch->block_count == 1
                   ? "a __syncthreads() between the two is missing"
                   : "a __syncthreads() between the two is missing, which orders this block alone: "
                     "where other blocks change such elements too, it takes a launch for each "
                     "round";
    if (strcmp(finding->verb, "atomic access") == 0 ||
        strcmp(finding->earlier, "atomic access") == 0)
        return "a plain write is not atomic: set the start value in an earlier launch, or write "
               "with "
               "an atomic operation too";
    if (both_write)
        return "two blocks compute the same element: the index leaves out a block coordinate, an "
               "edge test is missing, or tiles overlap; sums over several blocks need atomicAdd()";
    if (warp->worker->checks->global.acquired && lacks_barrier(warp, finding->tag))
        return "the other block tells how far it is by another warp, which has not waited for this "
               "one: a __threadfence() orders the accesses of its own thread alone; a "
               "__syncthreads() belongs behind it, before the count or the flag";
    if (strcmp(finding->earlier, "write") == 0 && warp->worker->checks->global.acquired)
        return "a flag or counter orders only what a __threadfence() stands between: the writing "
               "block "
               "needs one before it sets the flag";
    if (warp->worker->launch->grid)
        return "a sync() of the grid between the two is missing";
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
    char place[560], user[160];
    const unsigned *const block = warp->block->id;
    const int lane = finding->lane;
    sim_name_place(warp->worker->launch->program, place_of_tag(finding->tag), place, sizeof place);
    name_user(warp, finding, user, sizeof user);
    snprintf(text, size,
             "this %s by thread (%u, %u, %u) of block (%u, %u, %u) and the %s at %s by %s",
             finding->verb, warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane],
             block[0], block[1], block[2], finding->earlier, place, user);
}

static uint64_t address_of(const struct warp *warp, const struct instruction *at,
                           const char *storage)
{
    return (uint64_t)(uintptr_t)storage - warp->worker->caches[at->cache].bias;
}

static void report(struct warp *warp, const struct instruction *at, const char *storage,
                   const struct finding *finding)
{
    char what[300], both[800];
    const uint64_t address = address_of(warp, at, storage);
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, 4, what, sizeof what);
    describe(warp, finding, both, sizeof both);
    sim_fault(warp, at, finding->lane, SIM_RACE, address, "race on %s: %s come in any order; %s",
              what, both, cause_of(warp, at, finding));
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
    const struct finding finding = {lane, "read", "write", writer, is_same_block(writer, mine),
                                    false};
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
        lane, "atomic access", "write", writer, is_same_block(writer, mine), false};
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
        lane, "atomic access", "read", reader, is_same_block(reader, mine), false};
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

void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const bool arrives = sim_grid_is_counter(warp->worker->launch, address_of(warp, at, storage));
    if (arrives) {
        sim_global_arrive(warp);
    } else {
        if (at->flags & FLAG_RELEASE && lane == __builtin_ctz(warp->active))
            sim_global_strong(warp, at);
        sim_global_signal(warp, true);
    }
    checks->meets_same = 0;
    if (tags && checks->tag && bytes >= 4) {
        const uint64_t mine = global_tag_of(warp, at, checks);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < bytes / 4; i++) {
            if (meet_writer_atomically(warp, at, lane, storage + 4 * i, tags->writer[word + i]))
                checks->meets_same |= UINT32_C(1) << i;
            const uint64_t updated = tags->reader[word + i], joined = join_readers(updated, mine);
            if (is_foreign(updated, mine) && is_of_several(updated) && is_atomic(warp, updated))
                sim_check_sum_order(warp, at, lane, address_of(warp, at, storage));
            if (is_foreign(updated, mine) && !is_atomic(warp, updated))
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
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!tags || !checks->tag || bytes < 4)
        return;
    const uint64_t mine = global_tag_of(warp, at, checks);
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint64_t *const writer = &tags->writer[global_word(tags, storage) + i];
        uint64_t *const reader = &tags->reader[global_word(tags, storage) + i];
        const struct finding finding = {
            lane, "atomic access", "write", *writer, is_same_block(*writer, mine), false};
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

void sim_global_strong(struct warp *warp, const struct instruction *at)
{
    struct sim_checks *const checks = warp->worker->checks;
    if (at == warp->block->grid_read) /* what that orders is known (may_be_ordered) */
        return;
    checks->global.acquired = true;
    if (at->flags & FLAG_RELEASE) {
        sim_global_release(warp);
        if (checks->clocks)
            sim_clocks_fence(checks->clocks);
        sim_checks_order(checks);
    }
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
static uint64_t take_over(uint64_t writer, uint64_t mine, bool stayed)
{
    const bool is_ours = writer != 0 && is_same_block(writer, mine);
    const bool was_changed = writer & GLOBAL_CHANGED && !(writer & GLOBAL_SAME);
    const uint64_t changed = is_ours && (!stayed || was_changed) ? GLOBAL_CHANGED : 0;
    return mine | changed | (stayed && (writer == 0 || writer & GLOBAL_SAME) ? GLOBAL_SAME : 0);
}

/* What a write of a word meets; @return the word's new writer. */
static uint64_t settle_word(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, const struct global_clash *before, bool stayed)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const uint64_t writer = before->writer, reader = before->reader;
    const bool meets_writer = is_foreign(writer, mine) && !may_be_ordered(warp, writer, mine);
    const bool meets_reader = is_foreign(reader, mine) && !may_be_ordered(warp, reader, mine);
    const bool was_atomic = !meets_writer && meets_reader && is_atomic(warp, reader);
    const uint64_t tag = meets_writer ? writer : reader;
    const struct finding finding = {lane,
                                    "write",
                                    meets_writer ? "write"
                                    : was_atomic ? "atomic access"
                                                 : "read",
                                    tag,
                                    is_same_block(tag, mine),
                                    stayed};
    if ((meets_writer || meets_reader) && (!stayed || depends_on_order(&finding)))
        report(warp, at, storage, &finding);
    if (meets_writer || meets_reader)
        warn(warp, at, storage, &finding);
    if (meets_writer)
        return join_writers(writer, mine);
    return take_over(writer, mine, stayed);
}

void sim_global_settle(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_checks *const checks = &warp->worker->checks->global;
    const unsigned words = bytes / 4;
    EACH_ACTIVE(lane, global_lanes(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < words; i++) {
            const struct global_clash none = {tags->writer[word + i], 0};
            const bool stayed =
                memcmp(storage + 4 * i, &checks->old[lane * words + i], sizeof(uint32_t)) == 0;
            tags->writer[word + i] =
                settle_word(warp, at, (int)lane, storage + 4 * i,
                            checks->clashes ? &checks->before[lane * words + i] : &none, stayed);
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
