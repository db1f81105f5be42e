/**
 * @file global_atomic.h
 * @brief Atomic operations on global memory.
 */
#ifndef SIM_CHECK_GLOBAL_ATOMIC_H
#define SIM_CHECK_GLOBAL_ATOMIC_H

#include "sim/machine/warp.h"

#include <stdbool.h>

/** Before an atomic operation; `storage` is in the allocation that the instruction used last. */
void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes);
/** After an atomic operation; `changed` if the value differs from the old value, `counts` if doing
 *  the operation once more would change it again. */
void sim_global_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes, bool changed, bool counts);

#endif
