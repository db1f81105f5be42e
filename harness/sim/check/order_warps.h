/**
 * @file order_warps.h
 * @brief What is ordered among the warps of a block where barriers do not take all of them along:
 * bar.arrive, which does not wait, and barriers that name a number of threads.
 *
 * The tags of tags.h count stretches of the whole block, which is all that __syncthreads() needs.
 * Kernels with other barriers are checked by this as well: each warp knows for each other one up to
 * which time its accesses are ordered, and each word knows when which warp used it. It costs much
 * more, and is made for such kernels alone.
 */
#ifndef SIM_CHECK_ORDER_WARPS_H
#define SIM_CHECK_ORDER_WARPS_H

#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** For shared memory of that size, in units of 1 << shift bytes; NULL when there is no memory. */
struct warp_clocks *sim_clocks_create(size_t shared_bytes, unsigned shift);
void sim_clocks_free(struct warp_clocks *clocks);

/** Before a block starts. */
void sim_clocks_start(struct warp_clocks *clocks);
/** A warp has come to a barrier, whether or not it waits. Faults where it might have come before
 *  other warps that have met there. */
void sim_clocks_arrive(struct warp *warp, const struct instruction *at, unsigned barrier);
/** The barrier lets the warps go that wait; `takes_all` if it is for all of the block. */
void sim_clocks_open(struct block *block, unsigned barrier, uint32_t waiting, bool takes_all);
/** A fence or a release: what it orders is not followed, so that nothing before it counts. */
void sim_clocks_fence(struct warp_clocks *clocks);

/** A plain read of the active lanes, in shared memory or where tags follow global memory: faults
 *  with SIM_RACE. */
void sim_clocks_load(struct warp *warp, const struct instruction *at, const struct places *places,
                     unsigned bytes);
/** Before a plain write of theirs. */
void sim_clocks_store(struct warp *warp, const struct places *places, unsigned bytes);
/** After a write of one lane or all: faults if it has changed what others use in no order. */
void sim_clocks_stored(struct warp *warp, const struct instruction *at);

#endif
