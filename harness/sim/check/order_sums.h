/**
 * @file order_sums.h
 * @brief Sums of floats by atomic operations of several warps: their last bits depend on the order
 * of the warps. That is a fault only where a kernel promises the same bits every time.
 */
#ifndef SIM_CHECK_ORDER_SUMS_H
#define SIM_CHECK_ORDER_SUMS_H

#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether an atomic operation adds floats, of whatever size. */
bool sim_adds_floats(const struct warp *warp, const struct instruction *at);

/** Before a lane's atomic operation on a word that at least two other warps or blocks, unordered,
 *  have updated atomically: faults if it adds floats and SIM_CHECK_SUMS is on. Two terms alone give
 *  the same sum in either order. */
void sim_check_sum_order(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address);

#endif
