/**
 * @file lane_order.h
 * @brief What is ordered among the lanes of one warp: only what __syncwarp(), a shuffle or a vote
 * orders, since lanes need not run in step.
 *
 * Each warp counts turns: one ends where lanes meet. An access remembers its turn; it comes before
 * another lane's if the two have met since, directly or through others.
 */
#ifndef SIM_CHECK_LANE_ORDER_H
#define SIM_CHECK_LANE_ORDER_H

#include "sim/exec/program.h"

#include <stdbool.h>
#include <stdint.h>

/** Turns of a warp that are told apart; then they are numbered anew. */
enum { LANE_LAST_TURN = 63 };

/** Of one warp. */
struct lane_order {
    uint32_t turn;     /**< the current one */
    uint32_t full;     /**< all accesses of turns before this one are ordered before what follows */
    bool has_accesses; /**< of the current turn */
    bool is_partial;   /**< some lanes have met without the others: known[] counts */
    /** known[i][j]: lane i comes after all that lane j did in turns before this one. */
    uint8_t known[WARP_LANES][WARP_LANES];
};

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
