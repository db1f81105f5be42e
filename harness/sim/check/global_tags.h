/**
 * @file global_tags.h
 * @brief The tags of global memory: made for a launch, moved on by barriers and fences.
 */
#ifndef SIM_CHECK_GLOBAL_TAGS_H
#define SIM_CHECK_GLOBAL_TAGS_H

#include "tags.h"

/** For a launch: gives tags to what its kernel may write. */
void sim_global_begin(struct launch *launch);
void sim_global_end(struct launch *launch);

/** Which store, by whom, wrote the word at an address in the last launch. False: it is not known,
 * or none did. */
bool sim_global_writer(uint64_t address, char *text, size_t size);
/** Of no launch any more: a copy has written, or programs are about to go. */
void sim_global_forget(void);

/** Before a block starts, and when a barrier or a fence has ordered what it did. */
void sim_global_start_block(struct worker *worker);
void sim_global_order(struct global_checks *checks);

/** A barrier of all warps has ordered what they did; behind sim_global_order(). */
void sim_global_barrier(struct worker *worker);

/** A fence or a release: other blocks may be ordered after what the block has done, once it sets
 *  something; not so where `is_block`, of a fence for the block alone. */
void sim_global_release(struct warp *warp, bool is_block);

/** Sets what other blocks may see: a strong store or an atomic operation. */
void sim_global_set(struct warp *warp);

/** Behind a look at what others set, a fence or the acquiring look itself: what follows comes after
 *  what they did before they set it. */
void sim_global_acquire(struct warp *warp);

/** The latest of what the warps of the block have acquired. It is passed on within the block in too
 *  many ways to follow them. */
uint64_t sim_global_latest_acquired(const struct global_checks *checks);

/** Whether a warp may come after what a block has done in a stretch. */
bool sim_global_has_acquired(const struct warp *warp, struct block_release *release,
                             uint32_t stretch);

/** Whether a warp has learned of the block's stretch by flags of other blocks alone, none of which
 *  had acquired it before: they hand on what they do not know of themselves. */
bool sim_global_lacks_relay(const struct warp *warp, uint64_t block, uint32_t stretch);
/** A look that global_message.h does not follow. */
void sim_global_other_look(struct warp *warp, const struct instruction *at);

/** The block arrives at the barrier of the grid, behind a barrier of its own. */
void sim_global_arrive(struct warp *warp);

/** Others may learn from this access how far the warp is; `is_global` if other blocks may. */
void sim_global_signal(struct warp *warp, bool is_global);

#endif
