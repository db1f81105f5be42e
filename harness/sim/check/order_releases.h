/**
 * @file order_releases.h
 * @brief Records what orders a block before or after other blocks: fences, releases, acquires and
 * barriers that the block executes. order_blocks.h decides whether they suffice.
 */
#ifndef SIM_CHECK_ORDER_RELEASES_H
#define SIM_CHECK_ORDER_RELEASES_H

#include "tags.h"

/** Call these before a block starts, and when a barrier or a fence has ordered what it did. */
void sim_global_start_block(struct worker *worker);
void sim_global_order(struct global_checks *checks);

/** A barrier of all warps has ordered what they did; after sim_global_order(). */
void sim_global_barrier(struct worker *worker);

/** A fence or a release, which ends a stretch. Once the block then sets something, other blocks may
 *  be ordered after what it did before; not so after a fence for the block alone (`is_block`). */
void sim_global_release(struct warp *warp, bool is_block);

/** Sets what other blocks may see: a strong store or an atomic operation. */
void sim_global_set(struct warp *warp);

/** A fence after a look at what other threads set, or a look that itself acquires. What follows
 *  comes after what these threads did before they set it. */
void sim_global_acquire(struct warp *warp);

/** The latest time in `acquired_at` of any warp of the block. Warps pass on what they know in too
 *  many ways to follow each. */
uint64_t sim_global_latest_acquired(const struct global_checks *checks);

/** A look that message_passing.h does not follow. */
void sim_global_other_look(struct warp *warp, const struct instruction *at);

/** The block arrives at the barrier of the grid, after a barrier of its own. */
void sim_global_arrive(struct warp *warp);

/** An access from which others may learn how far the warp is; `is_global` if other blocks may. */
void sim_global_signal(struct warp *warp, bool is_global);

#endif
