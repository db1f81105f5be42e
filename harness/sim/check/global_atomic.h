/**
 * @file global_atomic.h
 * @brief Atomic operations on global memory.
 */
#ifndef SIM_CHECK_GLOBAL_ATOMIC_H
#define SIM_CHECK_GLOBAL_ATOMIC_H

#include "sim/machine/warp.h"

#include <stdbool.h>

/** Before it; `storage` lies in the allocation that the instruction used last. */
void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes);
/** After it; `changed` if the value is another one than before, `counts` if to do it once more
 *  changes it again. */
void sim_global_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes, bool changed, bool counts);

#endif
