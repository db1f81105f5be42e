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

/** instruction.extra of a shuffle, a vote or the like. */
struct exchange {
    enum shuffle shuffle;
    int32_t truth; /**< predicate; -1: none */
    int32_t mask;  /**< slot */
    uint32_t operation;
    const char *kinds; /**< of d, a, b and c: 'w', 'l', 'p', or '-' for none */
};

/** The lane that `lane` reads from, or `lane` itself where that lane is out of the segment; sets
 *  *is_inside. `b` and `c` are the operands of these names. */
int sim_source_lane(enum shuffle shuffle, int lane, uint32_t b, uint32_t c, bool *is_inside);

/** In place of a lane that takes no part. */
enum { LANE_ABSENT = -1 };

/** Finds which lane each active lane has read from in an executed shuffle: the lane itself where
 *  the one asked is out of the segment; LANE_ABSENT where that one was not active or not in the
 *  mask, so that the result is undefined. The shuffle must not have overwritten its operands. */
void sim_shuffle_sources(const struct warp *warp, const struct instruction *at,
                         int sources[WARP_LANES]);

#endif
