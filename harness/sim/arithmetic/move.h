/**
 * @file move.h
 * @brief Copies of whole slots; conversions that change nothing use them, too.
 */
#ifndef SIM_ARITHMETIC_MOVE_H
#define SIM_ARITHMETIC_MOVE_H

#include "sim/machine/warp.h"

/** d = a. */
const struct instruction *sim_run_move32(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_move64(struct warp *warp, const struct instruction *at);

#endif
