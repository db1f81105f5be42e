/**
 * @file standstill.h
 * @brief Whether anything can still change while all blocks that run wait.
 */
#ifndef SIM_LAUNCH_STANDSTILL_H
#define SIM_LAUNCH_STANDSTILL_H

#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stdint.h>

/** After a round of only polls: whether all warps have come back to the same registers for some
 *  rounds. `begins`: this is the first round of only polls. */
bool sim_only_looks(struct worker *worker, bool begins);

/** After a round of a worker that waits: true when nothing can change any more. `most`: the basic
 *  blocks that all workers may execute while they wait, if their registers keep changing. */
bool sim_stands_still(struct worker *worker, uint64_t most);

#endif
