/**
 * @file check.h
 * @brief What the simulator checks beyond addresses: reads of what nothing has written, and races.
 *
 * Unwritten memory holds words of ones. So the words of ones among what is read or written are all
 * that the first check has to look at: a bit for each such word says that it was written. Races
 * are found by tags that say who used a word last, and between which two barriers.
 */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "sim/check/global_race.h"
#include "sim/check/one_store.h"
#include "sim/check/shared_race.h"
#include "sim/check/switch.h"
#include "sim/exec/access.h"
#include "sim/memory.h"

#include <stdbool.h>
#include <stdint.h>

/** Pairs of instructions of which a worker knows that there is nothing to warn of any more. */
enum { WARNED_PAIRS = 64 };

/** A read of a word of shared memory that nothing has written yet. Another warp may still write it
 *  before the next barrier: then it is a race. */
struct early_read {
    struct warp *warp; /**< NULL: none */
    const struct function *function;
    const struct instruction *at;
    uint64_t address;
    unsigned bytes;
    int lane;
};

/** What a worker remembers of the shared memory of its block. */
struct sim_checks {
    struct shared_tags shared;
    size_t words;
    uint32_t *written; /**< bits: words of ones that were written */
    bool has_written;
    struct early_read early;
    uint64_t warned[WARNED_PAIRS]; /**< see warning.c */
    struct global_checks global;
};

/** For a block with that much shared memory, accessed in units of 1 << shift bytes; NULL when there
 *  is no memory. */
struct sim_checks *sim_checks_create(size_t shared_bytes, unsigned shift);
void sim_checks_free(struct sim_checks *checks);
/** Before a block starts. */
void sim_checks_start_block(struct worker *worker);
/** Counts the basic blocks of a warp's turn; faults when the block has used up its budget, or when
 *  all that run have waited for too long. */
void sim_count_turn(struct warp *warp, unsigned basic_blocks);
/** At a barrier, a fence and the end of a block: faults if something was read that was not written
 *  by then. */
void sim_checks_settle(struct sim_checks *checks);
/** What was done before is ordered before what follows: a barrier has opened, or a fence. */
void sim_checks_order(struct sim_checks *checks);

/** A fence that a warp executes: what it orders is not followed further, so that nothing before it
 *  counts. */
void sim_checks_fence(struct warp *warp);
/** Before a lane's atomic operation; exchanges do not count as reads. */
void sim_check_atomic(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                      const void *cell, unsigned bytes, bool reads);

/* ---- Reads of what nothing has written ---- */

/** Faults if an active lane reads a word that nothing has written. */
void sim_check_unwritten(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes);
/** Remembers words of ones that the active lanes have just written. */
void sim_note_written(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes);
/** The same for a lane; `address` as sim_lane_storage() takes it. */
void sim_check_lane_unwritten(struct warp *warp, const struct instruction *at, int lane,
                              uint64_t address, const void *storage, unsigned bytes);
void sim_note_lane_written(struct warp *warp, uint64_t address, const void *storage,
                           unsigned bytes);

ALWAYS_INLINE bool has_ones32(const uint32_t *word, unsigned count, uint32_t mask)
{
    uint32_t any = 0;
    _Pragma("GCC ivdep") for (unsigned i = 0; i < count; i++) any |=
        (word[i] & mask) == mask ? UINT32_C(1) : 0;
    return any != 0;
}

ALWAYS_INLINE bool has_ones64(const uint64_t *row, uint64_t mask)
{
    uint64_t any = 0;
    EACH_LANE any |= (row[lane] & mask) == mask ? UINT64_C(1) : 0;
    return any != 0;
}

/** Whether an element of a row, `bytes` of them in memory, has a word of ones. */
ALWAYS_INLINE bool row_has_ones(const void *row, unsigned row_bytes, unsigned bytes)
{
    if (bytes == 8)
        return has_ones32(row, 2 * WARP_LANES, UINT32_MAX);
    const uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);
    return row_bytes == 8 ? has_ones64(row, mask) : has_ones32(row, WARP_LANES, mask);
}

/* ---- What the handlers of memory instructions call ---- */

/** Tags of the global memory that an access lies in; NULL where they do not matter. */
ALWAYS_INLINE const struct global_tags *tags_of(struct warp *warp, const struct instruction *at,
                                                const struct places *places, unsigned bytes)
{
    if (places->is_shared || bytes < 4)
        return NULL;
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!(at->flags & FLAG_STRONG))
        return tags;
    sim_global_strong(warp, at);
    return NULL;
}

/** A load of the active lanes; `has_ones` if one of the words read may be of ones. */
ALWAYS_INLINE void check_load(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes, bool has_ones)
{
    if (places->pattern == PATTERN_SLOW)
        return; /* lane by lane, in access.c */
    if (has_ones)
        sim_check_unwritten(warp, at, places, bytes);
    if (places->is_shared && !(at->flags & FLAG_STRONG))
        check_shared_read(warp, &warp->worker->checks->shared, at, places, bytes);
    const struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags)
        check_global_read(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/** Before a store. */
ALWAYS_INLINE void check_store(struct warp *warp, const struct instruction *at,
                               const struct places *places, unsigned bytes)
{
    if (places->pattern == PATTERN_SLOW)
        return;
    if (places->is_shared && !(at->flags & FLAG_STRONG))
        check_shared_write(warp, &warp->worker->checks->shared, at, places, bytes);
    const struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags)
        check_global_write(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/** After it. */
ALWAYS_INLINE void check_stored(struct warp *warp, const struct instruction *at,
                                const struct places *places, unsigned bytes, bool has_ones)
{
    if (places->pattern == PATTERN_SLOW)
        return;
    if (has_ones)
        sim_note_written(warp, at, places, bytes);
    if (warp->worker->checks->shared.clash_count > 0)
        sim_settle_clashes(warp, at);
    const struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags)
        check_global_stored(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/** The same for a lane by itself; `address` and `storage` as sim_lane_storage() has them. */
ALWAYS_INLINE bool has_tags(struct warp *warp, const struct instruction *at, uint64_t address,
                            unsigned bytes)
{
    return (address & WINDOW_MASK) == 0 && bytes >= 4 && !(at->flags & FLAG_STRONG) &&
           warp->worker->caches[at->cache].tags;
}

ALWAYS_INLINE bool is_plain_shared(const struct instruction *at, uint64_t address)
{
    return (address & WINDOW_MASK) == SHARED_WINDOW && !(at->flags & FLAG_STRONG);
}

ALWAYS_INLINE void check_lane_load(struct warp *warp, const struct instruction *at, int lane,
                                   uint64_t address, const void *storage, unsigned bytes)
{
    sim_check_lane_unwritten(warp, at, lane, address, storage, bytes);
    if (has_tags(warp, at, address, bytes))
        sim_global_lane_read(warp, at, lane, storage, bytes);
    if (is_plain_shared(at, address))
        sim_check_lane_read(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
}

ALWAYS_INLINE void check_lane_store(struct warp *warp, const struct instruction *at, int lane,
                                    uint64_t address, const void *storage, unsigned bytes)
{
    if (has_tags(warp, at, address, bytes))
        sim_global_lane_store(warp, at, lane, storage, bytes);
    if (is_plain_shared(at, address))
        sim_check_lane_write(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
}

ALWAYS_INLINE void check_lane_stored(struct warp *warp, const struct instruction *at, int lane,
                                     uint64_t address, const void *storage, unsigned bytes)
{
    sim_note_lane_written(warp, address, storage, bytes);
    if (has_tags(warp, at, address, bytes))
        sim_global_lane_stored(warp, at, lane, storage, bytes);
    if (warp->worker->checks->shared.clash_count > 0)
        sim_settle_clashes(warp, at);
}

#endif
