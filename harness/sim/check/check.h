/**
 * @file check.h
 * @brief What the handlers of memory instructions call: every check of an access, in order.
 *
 * Races are found by tags that say which threads used a word last, and between which two barriers.
 * Reads of unwritten memory are found by its value.
 */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "global_atomic.h"
#include "global_early.h"
#include "order_releases.h"
#include "shared_race.h"
#include "switchboard.h"
#include "worker_checks.h"
#include "unwritten.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

enum { CHECKED_SIZES = 6 };

/** The checks of a warp's access, by log2 of the bytes that each lane accesses, 1 to 32. They are
 *  compiled once for each size; inlined in every handler they would take most of a build. */
typedef void check_access(struct warp *warp, const struct instruction *at,
                          const struct places *places, bool has_ones);
extern check_access *const sim_load_checks[CHECKED_SIZES];
extern check_access *const sim_store_checks[CHECKED_SIZES];
extern check_access *const sim_stored_checks[CHECKED_SIZES];

/** Checks a load of the active lanes; `has_ones` if a word that is read may consist of ones. */
ALWAYS_INLINE void check_load(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes, bool has_ones)
{
    sim_load_checks[__builtin_ctz(bytes)](warp, at, places, has_ones);
}

/** Checks before a store of the active lanes. */
ALWAYS_INLINE void check_store(struct warp *warp, const struct instruction *at,
                               const struct places *places, unsigned bytes)
{
    sim_store_checks[__builtin_ctz(bytes)](warp, at, places, false);
}

/** Checks after a store of the active lanes. */
ALWAYS_INLINE void check_stored(struct warp *warp, const struct instruction *at,
                                const struct places *places, unsigned bytes, bool has_ones)
{
    sim_stored_checks[__builtin_ctz(bytes)](warp, at, places, has_ones);
}

/** As above, for a single lane; `address` and `storage` are those of sim_lane_storage(). */
void sim_check_lane_load(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address, const char *storage, unsigned bytes);
void sim_check_lane_store(struct warp *warp, const struct instruction *at, int lane,
                          uint64_t address, const char *storage, unsigned bytes);
void sim_check_lane_stored(struct warp *warp, const struct instruction *at, int lane,
                           uint64_t address, const char *storage, unsigned bytes);

/** Checks before a lane's atomic operation; `reads`: it is no exchange. */
static inline void check_atomic(struct warp *warp, const struct instruction *at, int lane,
                                uint64_t address, const void *cell, unsigned bytes, bool reads)
{
    if (reads)
        sim_check_lane_unwritten(warp, at, lane, address, cell, bytes);
    if (sim_is_early(warp) && (address & WINDOW_MASK) == 0)
        sim_early_lane(warp, at, lane, address, bytes, SIM_CHANGES);
    sim_checks_look(warp);
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_global_signal(warp, false);
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_check_shared_atomic(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
    else if ((address & WINDOW_MASK) == 0)
        sim_global_atomic(warp, at, lane, cell, bytes);
}

/** Checks after a lane's atomic operation. */
static inline void check_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                                     uint64_t address, const void *cell, unsigned bytes,
                                     bool changed, bool counts)
{
    sim_note_lane_written(warp, address, cell, bytes);
    if (at->flags & FLAG_ACQUIRE)
        sim_checks_acquire(warp);
    if ((address & WINDOW_MASK) == 0)
        sim_global_atomic_done(warp, at, lane, cell, bytes, changed, counts);
}

#endif
