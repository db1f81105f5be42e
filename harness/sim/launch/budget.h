/**
 * @file budget.h
 * @brief How long a block and a launch may run before they count as endless.
 */
#ifndef SIM_LAUNCH_BUDGET_H
#define SIM_LAUNCH_BUDGET_H

#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stdint.h>

/** Sets how many basic blocks the warps of a thread block, and those of a launch, may execute
 * before they count as endless; 0: no limit. The default is none for a launch, and for a block
 *  LAB_SIM_BUDGET in millions, or 256 million. The variable overrides what is set for a block. */
void sim_budget_set(uint64_t block, uint64_t launch);

/** Counts the basic blocks of a warp's turn; faults when the block or the launch has used up its
 *  budget. */
void sim_count_turn(struct warp *warp, unsigned basic_blocks);

/** After a round in which a block only waited; faults when nothing can change any more. */
void sim_check_waiting(struct worker *worker);

/* ---- Whether anything can still change while all blocks that run wait ---- */

/** After a round of only polls: whether all warps have come back to the same registers for some
 *  rounds. `begins`: this is the first round of only polls. */
bool sim_only_looks(struct worker *worker, bool begins);

#endif
