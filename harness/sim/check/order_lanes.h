/**
 * @file order_lanes.h
 * @brief Which accesses of the lanes of one warp are ordered. Only __syncwarp(), a shuffle or a
 * vote orders them, since lanes need not run in step.
 *
 * Each warp counts turns; a turn ends where lanes meet. The tag of an access has its turn. The
 * access comes before an access of another lane if the two lanes have met since, directly or
 * through other lanes.
 */
#ifndef SIM_CHECK_ORDER_LANES_H
#define SIM_CHECK_ORDER_LANES_H

#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** Before a block starts. */
void sim_lane_order_start(struct lane_order *order);

/** Lanes of a warp have met at a barrier of their own, or exchanged values. */
void sim_checks_meet(struct warp *warp, uint32_t lanes);

/** Whether what lane `other` did in a turn comes before what lane `lane` does now. */
static inline bool sim_lanes_are_ordered(const struct lane_order *order, uint32_t turn,
                                         unsigned other, unsigned lane)
{
    if (other == lane || turn < order->full)
        return true;
    return order->is_partial && turn < order->known[lane][other];
}

#endif
