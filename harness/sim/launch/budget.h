/**
 * @file budget.h
 * @brief How long a block may run before it counts as endless.
 */
#ifndef SIM_LAUNCH_BUDGET_H
#define SIM_LAUNCH_BUDGET_H

#include "sim/machine/warp.h"

#include <stdint.h>

/** Sets how many basic blocks the warps of a thread block may execute before it counts as endless;
 *  0: no limit. The default is LAB_SIM_BUDGET in millions, or 256 million. */
void sim_budget_set(uint64_t basic_blocks);

/** Counts the basic blocks of a warp's turn; faults when the block has used up its budget. */
void sim_count_turn(struct warp *warp, unsigned basic_blocks);

/** After a round in which a block only waited; faults when nothing can change any more. */
void sim_check_waiting(struct worker *worker);

#endif
