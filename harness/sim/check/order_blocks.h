/**
 * @file order_blocks.h
 * @brief Whether accesses of two blocks are ordered.
 *
 * PTX's memory model asks for a release by the one block behind its access (a fence, and a strong
 * store or an atomic operation behind it, of the same warp or behind a barrier), and an acquire by
 * the other one before its own (a look at what was set, and a fence behind that). Through which
 * places and other blocks the one came to the other is not followed, but for flags that a block
 * hands on which has acquired nothing itself: any other way counts. What other blocks have learned
 * so may come by the barrier of the grid, too.
 *
 * An earlier access is told by its tag, as in tags.h.
 */
#ifndef SIM_CHECK_ORDER_BLOCKS_H
#define SIM_CHECK_ORDER_BLOCKS_H

#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether the access of a tag was an atomic operation. */
bool sim_global_is_atomic(const struct warp *warp, uint64_t tag);

/** Whether the last barrier of the grid that the block has passed orders it after an access of
 *  another one: that was done before its block arrived there. */
bool sim_global_is_before_grid_barrier(const struct warp *warp, uint64_t earlier);
/** Whether a fence of its block stands behind an access. */
bool sim_global_is_released(const struct warp *warp, uint64_t earlier);
/** Whether the block has learned that another one is behind its access. What a look is for need not
 *  be fenced here: both accesses are strong. */
bool sim_global_has_heard(const struct warp *warp, uint64_t earlier);
/** Whether the block may come after an access of another one. */
bool sim_global_is_synchronized(const struct warp *warp, uint64_t earlier);
/** The same of any access. What was done atomically is ordered after it where it lies. */
bool sim_global_may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine);

/** Which half of a release and an acquire is missing between two blocks that tell each other how
 *  far they are; NULL: this one has asked nobody. */
const char *sim_global_missing_half(const struct warp *warp, uint64_t earlier);

#endif
