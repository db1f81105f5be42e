/**
 * @file order_blocks.h
 * @brief Whether accesses of two blocks are ordered.
 *
 * PTX's memory model needs a release by the first block after its access: a fence, and then a
 * strong store or an atomic operation, by the same warp or after a barrier. It needs an acquire by
 * the second block before its access: a look at what was set, and then a fence. Any path from the
 * release to the acquire counts, through whatever words and blocks. But a flag that a block hands
 * on without having acquired anything does not count. The barrier of the grid may take the place
 * of the acquire.
 *
 * An earlier access is named by its tag (tags.h).
 */
#ifndef SIM_CHECK_ORDER_BLOCKS_H
#define SIM_CHECK_ORDER_BLOCKS_H

#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether the access of a tag was an atomic operation. */
bool sim_global_is_atomic(const struct warp *warp, uint64_t tag);

/** Whether the last barrier of the grid that this block has passed orders it after an access of
 *  another block, because that block made the access before it arrived at the barrier. */
bool sim_global_is_before_grid_barrier(const struct warp *warp, uint64_t earlier);
/** Whether the block of an access has executed a fence after it. */
bool sim_global_is_released(const struct warp *warp, uint64_t earlier);
/** Whether this block has learned that another block has made its access. No fence after the look
 *  is needed here, because both accesses are strong. */
bool sim_global_has_heard(const struct warp *warp, uint64_t earlier);
/** Whether this block is ordered after an access of another block. */
bool sim_global_is_synchronized(const struct warp *warp, uint64_t earlier);
/** Whether this block may be ordered after any earlier access; an atomic operation counts if this
 * block has made any access that orders. */
bool sim_global_may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine);

/** A sentence on what is missing between two blocks that signal to each other: the release or the
 *  acquire. NULL: this block has looked at no signal. */
const char *sim_global_missing_half(const struct warp *warp, uint64_t earlier);

#endif
