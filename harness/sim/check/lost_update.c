/* Compares a write of a value that was computed from an earlier read with the last write of the
 * word by other threads. */
#include "global_strong.h"

#include "global_race.h"
#include "order.h"
#include "switchboard.h"

#include "sim/memory/names.h"

static const char *const reads_and_writes_back =
    "several threads read this element, change it and write it back, so that changes get lost: "
    "that an access is volatile, relaxed or atomic does not make one of the three. Add with "
    "atomicAdd(), keep the least or the greatest with atomicMin() or atomicMax(), or let the "
    "threads take turns by a lock, with a __threadfence() after its taking and before its release";

static const char *const tested_then_set =
    "the wait until it is free and the store that takes it are two accesses, so that two threads "
    "may see it free before either has taken it: test and set at once, by "
    "while (atomicCAS(&lock, 0, 1) != 0), with a __threadfence() behind it";

static const char *const claimed_in_two_steps =
    "a thread looks at this element, and takes what it stands for by an access of its own, so that "
    "two threads may look before either has taken it, and both take the same: draw a number by "
    "what "
    "atomicAdd() gives back, or take a place by atomicCAS(&taken, 0, 1) == 0";

/* ---- Global memory ---- */

static struct update_read *read_of(struct warp *warp, const char *storage)
{
    return &warp->worker->checks->global.update_reads[(uintptr_t)storage / 4 % UPDATE_READS];
}

/* Whether the other thread's write is ordered before the read. What the read itself acquired does
 * not count. */
static bool is_ordered(struct warp *warp, const char *storage, uint64_t earlier)
{
    uint64_t *const acquired = &warp->worker->checks->global.acquired_at[warp->index];
    const struct update_read *const read = read_of(warp, storage);
    const uint64_t now = *acquired;
    if (read->storage == storage && read->warp == warp->index)
        *acquired = read->acquired;
    const bool is = sim_global_is_synchronized(warp, earlier);
    *acquired = now;
    return is;
}

static bool is_lost(struct warp *warp, const struct instruction *at, const char *storage,
                    uint64_t earlier)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    return is_foreign(earlier, mine) &&
           (is_same_block(earlier, mine) || !is_ordered(warp, storage, earlier));
}

static void report(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                   uint64_t earlier, const char *cause)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    const struct finding finding = {.lane = lane,
                                    .use = ptx_does(source, PTX_LOADS)    ? SIM_READS
                                           : ptx_does(source, PTX_STORES) ? SIM_WRITES
                                                                          : SIM_CHANGES,
                                    .earlier = sim_global_is_atomic(warp, earlier) ? SIM_CHANGES
                                                                                   : SIM_WRITES,
                                    .tag = earlier,
                                    .cause = cause};
    sim_global_fault(warp, at, storage, &finding);
}

void sim_update_read(struct warp *warp, const struct instruction *at, int lane, const char *storage)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!tags || !warp->worker->checks->global.tag)
        return;
    *read_of(warp, storage) =
        (struct update_read){.storage = storage,
                             .acquired = warp->worker->checks->global.acquired_at[warp->index],
                             .reader = tags->reader[global_word(tags, storage)],
                             .warp = warp->index,
                             .grid_waits = warp->block->grid_waits};
    const uint64_t claimed = at->flags & FLAG_CLAIM ? sim_last_set(warp, storage) : 0;
    if (claimed && is_lost(warp, at, storage, claimed))
        report(warp, at, lane, storage, claimed, claimed_in_two_steps);
}

void sim_update_reads(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes)
{
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    sim_update_read(warp, at, (int)lane, place_of(places, lane, bytes));
}

void sim_lost_update(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     uint64_t writer)
{
    if (is_lost(warp, at, storage, writer))
        report(warp, at, lane, storage, writer, reads_and_writes_back);
}

void sim_taken_twice(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     uint64_t earlier)
{
    if (is_lost(warp, at, storage, earlier))
        report(warp, at, lane, storage, earlier,
               at->flags & FLAG_CLAIM ? claimed_in_two_steps : tested_then_set);
}

void sim_update_by_atomic(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, uint64_t adder)
{
    const struct update_read *const read = read_of(warp, storage);
    if (!sim_global_is_atomic(warp, adder) && read->storage == storage && read->warp == warp->index)
        adder = read->reader;
    /* A sum of floats hands out no numbers, and behind a barrier of the grid another round of a
     * number begins. */
    if (sim_adds_floats(warp, at) || (read->storage == storage && read->warp == warp->index &&
                                      read->grid_waits != warp->block->grid_waits))
        return;
    if (!sim_global_is_atomic(warp, adder) || !is_lost(warp, at, storage, adder))
        return;
    const struct ptx_instruction *const source = sim_source(warp, at);
    report(
        warp, at, lane, storage, adder,
        source->update & PTX_COMPARES
            ? "this compare-and-swap changes nothing where another thread has changed the element "
              "since it was read, and no loop tries it again with what is there now"
        : source->update & PTX_EXCHANGES
            ? reads_and_writes_back
            : "the number is read first and counted up in a second step, so that two threads may "
              "read the same one: use what atomicAdd() gives back");
}

/* ---- Shared memory ---- */

static void report_shared(struct warp *warp, const struct instruction *at, int lane,
                          uint32_t offset, uint32_t earlier, const char *cause)
{
    char what[300], place[560];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_shared(warp, offset, sim_element_bytes(sim_source(warp, at)), what, sizeof what);
    sim_name_place(warp->worker->launch->program, earlier >> TAG_WARP_BITS & TAG_FAR_PLACE, place,
                   sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, SHARED_WINDOW + offset,
              "race on %s: this write by warp %u and the write at %s by warp %u come in any order; "
              "%s",
              what, warp->index, place, earlier & TAG_WARP, cause);
}

void sim_update_shared_word(struct warp *warp, const struct instruction *at, int lane,
                            uint32_t offset)
{
    struct shared_tags *const tags = &warp->worker->checks->shared;
    const uint32_t mine = new_tag(warp, at, tags);
    struct shared_store *const store = &tags->strong_stores[offset / 4 % STRONG_STORES];
    if (at->flags & FLAG_UPDATE && store->offset == offset && store->tag >= tag_floor(tags) &&
        (store->tag & TAG_WARP) != warp->index)
        report_shared(warp, at, lane, offset, store->tag, reads_and_writes_back);
    *store = (struct shared_store){offset, mine};
    if (!(at->flags & FLAG_TEST_SET))
        return;
    struct shared_set *const set = &tags->test_sets[offset / 4 % STRONG_STORES];
    const uint32_t barrier = warp->worker->checks->global.barrier;
    if (set->offset == offset && set->block == tags->block_count && set->barrier == barrier &&
        (set->tag & TAG_WARP) != warp->index && ((set->tag ^ mine) & TAG_PLACE_MASK) == 0)
        report_shared(warp, at, lane, offset, set->tag, tested_then_set);
    *set = (struct shared_set){offset, mine, tags->block_count, barrier};
}

void sim_update_shared(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes)
{
    EACH_ACTIVE(lane, warp->active)
    sim_update_shared_word(
        warp, at, (int)lane,
        (uint32_t)((const char *)place_of(places, lane, bytes) - warp->block->shared));
}
