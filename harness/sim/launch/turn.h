/**
 * @file turn.h
 * @brief In which order the blocks of a launch come: a result that depends on it shows when they
 * come the other way round.
 */
#ifndef SIM_LAUNCH_TURN_H
#define SIM_LAUNCH_TURN_H

#include "sim/machine/request.h"
#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether launches from now on begin with their last block. */
void sim_turn_set(bool reversed);

/** Whether blocks of launches from now on let others go first once they have drawn a number, by an
 *  atomic addition whose old value is used: else the first may draw them all before others begin.
 */
void sim_turn_share(bool shared);

/** Launches that did, since sim_turn_set(). */
unsigned sim_turn_count(void);

/** How many blocks of this launch come in reverse at a time; 0: none. Not all where a block may
 * wait for one of a lower number, which works on a GPU as long as blocks begin in order. */
uint64_t sim_turn_wanted(const struct sim_launch *request, uint64_t block_count);

/** How often blocks of this launch do. */
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
