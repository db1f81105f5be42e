/**
 * @file replay.h
 * @brief Runs recorded requests through the caches, in the order in which a GPU's SMs would make
 * them: all resident blocks at the same time.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include "l2.h"
#include "trace.h"

struct replay; /**< the replay of one launch */

/** NULL: no memory, or more blocks than the model takes. */
struct replay *sim_replay_create(const struct cache_machine *machine, uint64_t block_count,
                                 unsigned warps, const struct trace_patterns *patterns);

/** Hands over a recorded block; NULL: it could not be recorded. Any thread may call this, for
 *  blocks in any order. Replays as far as the blocks allow, unless another thread does. */
void sim_replay_add(struct replay *replay, uint64_t number, struct trace_block *block);

/** Replays the rest and frees the replay. @return false if a block was missing */
bool sim_replay_finish(struct replay *replay, struct cache_counts *counts);

#endif
