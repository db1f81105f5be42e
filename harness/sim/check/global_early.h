/**
 * @file global_early.h
 * @brief Accesses of a kernel that begins before the previous kernel of its stream has ended
 * (programmatic dependent launch). Until a block has waited for the previous kernel, it must not
 * use what that kernel uses.
 */
#ifndef SIM_CHECK_GLOBAL_EARLY_H
#define SIM_CHECK_GLOBAL_EARLY_H

#include "global_footprint.h"
#include "tags.h"

#include "sim/memory/places.h"

#include <stdint.h>

/** The kernel that runs beside the first part of this one. */
struct sim_beside {
    const char *what;
    const struct program *program;
    const struct sim_footprint *footprint; /**< sorted */
};

/** Before a lane's access of global memory; faults if the previous kernel uses the word, too. */
void sim_early_lane(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    unsigned bytes, enum sim_use use);
/** As sim_early_lane(), for all active lanes. */
void sim_early_warp(struct warp *warp, const struct instruction *at, const struct places *places,
                    unsigned bytes, enum sim_use use);

ALWAYS_INLINE bool sim_is_early(const struct warp *warp)
{
    return __builtin_expect(warp->worker->checks->global.beside != NULL, 0);
}

/** A warp has waited for the previous kernel. Its whole block counts as ordered, because it is not
 * followed which other warps of the block the wait orders. */
ALWAYS_INLINE void sim_early_ends(struct warp *warp)
{
    if (warp->worker->checks)
        warp->worker->checks->global.beside = NULL;
}

#endif
