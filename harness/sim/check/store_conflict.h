/**
 * @file store_conflict.h
 * @brief Several lanes write to one place in one instruction. Any of their values may stay.
 */
#ifndef SIM_CHECK_STORE_CONFLICT_H
#define SIM_CHECK_STORE_CONFLICT_H

#include "sim/machine/lane_tests.h"
#include "sim/memory/places.h"

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
