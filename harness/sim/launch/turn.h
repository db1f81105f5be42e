/**
 * @file turn.h
 * @brief The order in which the blocks of a launch run, and how many have begun. Running them in
 * reverse shows results that depend on the order.
 */
#ifndef SIM_LAUNCH_TURN_H
#define SIM_LAUNCH_TURN_H

#include "sim/machine/request.h"
#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stdint.h>

/** Sets whether later launches begin with their last block. */
void sim_turn_set(bool reversed);

/** Sets whether a block of later launches lets other blocks go first after it has drawn a number,
 *  which is the old value of an atomic addition. Otherwise the first block may draw all numbers
 * before others begin. */
void sim_turn_share(bool shared);

/** The launches that ran in reverse since sim_turn_set(). */
unsigned sim_turn_count(void);

/** How many blocks, or clusters, of this launch run in reverse at a time; 0: none. These are few if
 * a block may wait for a block of a lower number, which works on a GPU because blocks begin in
 * order. */
uint64_t sim_turn_wanted(const struct sim_launch *request, uint64_t clusters);

/** How often a block of this launch may let others go first. */
int sim_turn_shares(void);

/** Before the blocks of a launch run. */
void sim_turn_begin(const struct launch *launch);

/** Gives a worker the block that comes next in the order. False: there is none, or a block before
 *  it has failed. */
bool sim_turn_take(struct worker *worker);

/** Blocks begun of the running or last launch, and all of its blocks. For any thread. */
void sim_turn_progress(uint64_t *begun, uint64_t *all);

#endif
