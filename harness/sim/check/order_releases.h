/**
 * @file order_releases.h
 * @brief What a block does that may order others behind it, or it behind others, noted as it is
 * executed: fences, releases, acquires, barriers. Whether that is enough asks order_blocks.h.
 */
#ifndef SIM_CHECK_ORDER_RELEASES_H
#define SIM_CHECK_ORDER_RELEASES_H

#include "tags.h"

/** Before a block starts, and when a barrier or a fence has ordered what it did. */
void sim_global_start_block(struct worker *worker);
void sim_global_order(struct global_checks *checks);

/** A barrier of all warps has ordered what they did; behind sim_global_order(). */
void sim_global_barrier(struct worker *worker);

/** A fence or a release: other blocks may be ordered after what the block has done, once it sets
 *  something; not so where `is_block`, of a fence for the block alone. Ends a stretch. */
void sim_global_release(struct warp *warp, bool is_block);

/** Sets what other blocks may see: a strong store or an atomic operation. */
void sim_global_set(struct warp *warp);

/** Behind a look at what others set, a fence or the acquiring look itself: what follows comes after
 *  what they did before they set it. */
void sim_global_acquire(struct warp *warp);

/** The latest of what the warps of the block have acquired. It is passed on within the block in too
 *  many ways to follow them. */
uint64_t sim_global_latest_acquired(const struct global_checks *checks);

/** A look that global_message.h does not follow. */
void sim_global_other_look(struct warp *warp, const struct instruction *at);

/** The block arrives at the barrier of the grid, behind a barrier of its own. */
void sim_global_arrive(struct warp *warp);

/** Others may learn from this access how far the warp is; `is_global` if other blocks may. */
void sim_global_signal(struct warp *warp, bool is_global);

#endif
