/**
 * @file worker_checks.h
 * @brief What a worker keeps for the checks of its blocks: made, set at the start of a block, and
 * ordered by barriers and fences.
 */
#ifndef SIM_CHECK_WORKER_CHECKS_H
#define SIM_CHECK_WORKER_CHECKS_H

#include "tags.h"

#include <stdbool.h>
#include <stddef.h>

/** Makes the checks for blocks with `shared_bytes` of shared memory in units of 1 << shift bytes,
 *  and with clocks of the warps of `clock_blocks` blocks: one if some barrier is not for all warps,
 *  those of a cluster, or 0. They are those of `clocks_of`, if that is not NULL.
 *  @return NULL: memory has run out. */
struct sim_checks *sim_checks_create(size_t shared_bytes, unsigned shift, unsigned clock_blocks,
                                     const struct sim_checks *clocks_of);
void sim_checks_free(struct sim_checks *checks);

/** Between an access and its check, and the other way round: under ThreadSanitizer a host thread is
 * held up here at random, as it may be on a busy machine. A check that takes the order of checks
 * for that of accesses then calls a right kernel wrong. */
#ifdef __SANITIZE_THREAD__
void sim_hold_up(void);
#else
static inline void sim_hold_up(void)
{
}
#endif

/** Before a block starts. */
void sim_checks_start_block(struct worker *worker);

/** Orders all accesses so far before those that follow: a barrier has opened, or a fence was
 * executed. */
void sim_checks_order(struct sim_checks *checks);

/** A warp executes a fence; `is_block` if it is for the block alone. */
void sim_checks_fence(struct warp *warp, bool is_block);

/** Where a warp looks at what other threads set. */
enum sim_look { SIM_LOOK_OWN_SHARED, SIM_LOOK_OTHER_SHARED, SIM_LOOK_GLOBAL };

/** A warp looks at what other threads set; `of_block`: by an access that is of the block alone. */
static inline void sim_checks_look(struct warp *warp, enum sim_look where, bool of_block)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint32_t bit = UINT32_C(1) << warp->index;
    checks->looked_inside |= bit;
    if (where != SIM_LOOK_GLOBAL || of_block)
        checks->looked_shared |= bit;
    if (where == SIM_LOOK_OTHER_SHARED || (where == SIM_LOOK_GLOBAL && of_block))
        checks->looked_beyond |= bit;
    if (where == SIM_LOOK_GLOBAL)
        warp->worker->checks->shared.looks[warp->index].flag.block = 0;
}

/** A fence after such a look, or a look that itself acquires. What it orders within the block is
 *  not followed, so all earlier accesses of all warps count as ordered: those to shared memory only
 *  if the look was there, or of the block: a counter in global memory tells of other blocks. */
void sim_checks_acquire(struct warp *warp);

#endif
