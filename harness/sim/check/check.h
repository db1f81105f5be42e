/**
 * @file check.h
 * @brief What the handlers of memory instructions call: every check of an access, in order.
 *
 * Races are found by tags that say who used a word last, and between which two barriers; reads of
 * unwritten memory by its value.
 */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "global_race.h"
#include "one_store.h"
#include "shared_race.h"
#include "tags.h"
#include "unwritten.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

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
        return; /* lane by lane */
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

/** Before a lane's atomic operation; exchanges do not count as reads. */
static inline void check_atomic(struct warp *warp, const struct instruction *at, int lane,
                                uint64_t address, const void *cell, unsigned bytes, bool reads)
{
    if (reads)
        sim_check_lane_unwritten(warp, at, lane, address, cell, bytes);
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_check_shared_atomic(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
    else if ((address & WINDOW_MASK) == 0)
        sim_global_atomic(warp, at, lane, cell, bytes);
}

#endif
