/**
 * @file check.h
 * @brief What the handlers of memory instructions call: every check of an access, in order.
 *
 * Races are found by tags that say which threads used a word last, and between which two barriers.
 * Reads of unwritten memory are found by its value.
 */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "global_footprint.h"
#include "global_strong.h"
#include "order.h"
#include "shared_race.h"
#include "switchboard.h"
#include "unwritten.h"
#include "worker_checks.h"

#include "sim/machine/lane_tests.h"
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
    if (sim_is_in_cluster(address) && warp->worker->checks->clocks)
        sim_clocks_touch(warp, at, lane, sim_shared_owner(warp, address));
    if (reads)
        sim_check_lane_unwritten(warp, at, lane, address, cell, bytes);
    if (sim_is_early(warp) && (address & WINDOW_MASK) == 0)
        sim_early_lane(warp, at, lane, address, bytes, SIM_CHANGES);
    sim_checks_look(warp,
                    (address & WINDOW_MASK) != SHARED_WINDOW ? SIM_LOOK_GLOBAL
                    : sim_is_in_cluster(address)             ? SIM_LOOK_OTHER_SHARED
                                                             : SIM_LOOK_OWN_SHARED,
                    at->flags & FLAG_BLOCK);
    if ((address & WINDOW_MASK) == SHARED_WINDOW) {
        warp->worker->checks->shared.looks[warp->index].flag.block = 0;
        sim_global_signal(warp, false);
    }
    if ((address & WINDOW_MASK) == SHARED_WINDOW && warp->worker->checks->clocks)
        sim_clocks_atomic(warp, at, lane, cell, bytes);
    if ((address & WINDOW_MASK) == SHARED_WINDOW && !sim_is_in_cluster(address))
        sim_check_shared_atomic(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
    else if ((address & WINDOW_MASK) == 0)
        sim_global_atomic(warp, at, lane, cell, bytes);
    sim_hold_up();
}

/** Checks after a lane's atomic operation. */
static inline void check_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                                     uint64_t address, const void *cell, unsigned bytes,
                                     bool changed, bool counts)
{
    sim_hold_up();
    sim_note_lane_written(warp, address, cell, bytes);
    if ((address & WINDOW_MASK) == SHARED_WINDOW && !sim_is_in_cluster(address) &&
        warp->worker->checks->clocks) {
        sim_clocks_look(warp, cell);
        if (changed)
            sim_clocks_set(warp, at, cell, bytes, true);
    }
    if (at->flags & FLAG_ACQUIRE)
        sim_checks_acquire(warp);
    if ((address & WINDOW_MASK) == 0)
        sim_global_atomic_done(warp, at, lane, cell, bytes, changed, counts);
}

/* Several lanes write to one place in one instruction. Any of their values may stay. */

/** Faults if two active lanes write different values to one place, warns if equal ones. The value
 * of a lane is `bytes` at value + lane * stride. */
void sim_check_one_store(struct warp *warp, const struct instruction *at,
                         const struct places *places, const void *value, unsigned stride,
                         unsigned bytes);

/** Before a volatile or relaxed store of values computed from the old value (FLAG_COMPUTED): faults
 * if two active lanes write to one place, even equal values. */
void sim_check_one_update(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes);

/** Whether two lanes may write to one place. The test is quick; only false is certain. */
ALWAYS_INLINE bool lanes_may_collide(const struct warp *warp, const struct places *places,
                                     unsigned bytes)
{
    switch (places->pattern) {
    case PATTERN_UNIT:
        return false;
    case PATTERN_SAME:
        return (warp->active & (warp->active - 1)) != 0;
    case PATTERN_OFFSETS:
        return warp->active != ALL_LANES || !lanes_ascend32(places->offset, bytes);
    case PATTERN_ADDRESSES:
        return warp->active != ALL_LANES || !lanes_ascend64(places->address, bytes);
    default:
        return true;
    }
}

/** After a store of the active lanes. */
ALWAYS_INLINE void check_one_store(struct warp *warp, const struct instruction *at,
                                   const struct places *places, const void *value, unsigned stride,
                                   unsigned bytes)
{
    if (lanes_may_collide(warp, places, bytes) && !(at->flags & (FLAG_STRONG | FLAG_VOLATILE)))
        sim_check_one_store(warp, at, places, value, stride, bytes);
}

#endif
