/**
 * @file turn.h
 * @brief The order in which the blocks of a launch run. Running them in reverse shows results that
 * depend on it.
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

/** How many blocks of this launch run in reverse at a time; 0: none. These are few if a block may
 * wait for a block of a lower number, which works on a GPU because blocks begin in order. */
uint64_t sim_turn_wanted(const struct sim_launch *request, uint64_t block_count);

/** How often a block of this launch may let others go first. */
int sim_turn_shares(void);

/** The block that comes at this place in the order. */
static inline uint64_t sim_turn_block(const struct launch *launch, uint64_t place)
{
    if (!launch->turned)
        return place;
    const uint64_t first = place - place % launch->turned, end = first + launch->turned;
    return first + (end < launch->block_count ? end : launch->block_count) - 1 - place;
}

#endif
