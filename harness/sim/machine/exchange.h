/**
 * @file exchange.h
 * @brief Which lane a shuffle takes a value from.
 */
#ifndef SIM_MACHINE_EXCHANGE_H
#define SIM_MACHINE_EXCHANGE_H

#include "warp.h"

#include <stdbool.h>
#include <stdint.h>

/** Where a lane takes its value from. */
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

/** What a shuffle, vote or the like is; instruction.extra. */
struct exchange {
    enum shuffle shuffle;
    int32_t truth; /**< predicate; -1 for none */
    int32_t mask;  /**< slot */
    uint32_t operation;
};

/** The lane to read from, or the lane itself where that is out of the segment; sets *is_inside. `b`
 *  and `c` are the operands of that name. */
int sim_source_lane(enum shuffle shuffle, int lane, uint32_t b, uint32_t c, bool *is_inside);

/** In place of a lane that takes no part. */
enum { LANE_ABSENT = -1 };

/** Which lane each active lane of a shuffle that has been executed has asked, itself where the one
 *  asked is out of the segment; LANE_ABSENT where that one was not active or not in the mask, so
 * that the result has no value. The shuffle's result is none of its sources. */
void sim_shuffle_sources(const struct warp *warp, const struct instruction *at,
                         int sources[WARP_LANES]);

#endif
