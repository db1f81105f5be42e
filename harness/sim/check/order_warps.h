/**
 * @file order_warps.h
 * @brief Which accesses of the warps of a block are ordered by barriers at which not all warps
 * wait: bar.arrive, which does not wait, and barriers that name a number of threads.
 *
 * The tags of tags.h count stretches of the whole block, which is all that __syncthreads() needs.
 * Kernels with other barriers are checked by clocks, too: each warp knows up to which time the
 * accesses of each other warp are ordered before its own, and each word has the times at which
 * warps used it. This costs much more, so only such kernels have clocks.
 */
#ifndef SIM_CHECK_ORDER_WARPS_H
#define SIM_CHECK_ORDER_WARPS_H

#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Makes clocks for shared memory of that size, in units of 1 << shift bytes; NULL: memory has run
 *  out. */
struct warp_clocks *sim_clocks_create(size_t shared_bytes, unsigned shift);
void sim_clocks_free(struct warp_clocks *clocks);

/** Before a block starts. */
void sim_clocks_start(struct warp_clocks *clocks);
/** A warp has come to a barrier, whether or not it waits. Faults if other warps have met there
 *  before, and nothing makes this warp come after them. */
void sim_clocks_arrive(struct warp *warp, const struct instruction *at, unsigned barrier);
/** The barrier lets the `waiting` warps go; `takes_all` if all warps of the block meet at it. */
void sim_clocks_open(struct block *block, unsigned barrier, uint32_t waiting, bool takes_all);
/** A fence or a release. All accesses before it count as ordered, because what it orders is not
 * followed. */
void sim_clocks_fence(struct warp_clocks *clocks);

/** A plain read of the active lanes, in shared memory or in global memory that has tags; faults
 *  with SIM_RACE. */
void sim_clocks_load(struct warp *warp, const struct instruction *at, const struct places *places,
                     unsigned bytes);
/** Before a plain write of the active lanes. */
void sim_clocks_store(struct warp *warp, const struct places *places, unsigned bytes);
/** After a write of one lane or all active lanes: faults if it has changed a word that other warps
 * use, unordered. */
void sim_clocks_stored(struct warp *warp, const struct instruction *at);

#endif
