/**
 * @file switchboard.h
 * @brief What a worker keeps for checking one block after the other, and the switch for all of it.
 */
#ifndef SIM_CHECK_SWITCHBOARD_H
#define SIM_CHECK_SWITCHBOARD_H

#include "tags.h"

#include <stdbool.h>
#include <stddef.h>

/** What can be left out, each a bit. */
enum sim_check {
    SIM_CHECK_RACE = 1,
    SIM_CHECK_UNINITIALIZED = 2,
    SIM_CHECK_ALL = 3,
    SIM_CHECK_SUMS = 4 /**< only where a kernel promises the same bits every time */
};

/** The check of that name, "race" or "uninitialized"; 0: there is none. */
unsigned sim_check_named(const char *name, size_t length);

/** What launches that begin now are checked for; --fast and LAB_SIM_CHECKS turn it off. */
unsigned sim_checks_wanted(void);

static inline bool sim_checks_for(enum sim_check check)
{
    return (sim_checks_wanted() & check) != 0;
}

/** Whether they are checked at all. */
bool sim_checks_on(void);
void sim_checks_set(unsigned wanted); /**< of enum sim_check */

/** For a block with that much shared memory, accessed in units of 1 << shift bytes, and with clocks
 *  of warps if some barrier is not for all of them; NULL when there is no memory. */
struct sim_checks *sim_checks_create(size_t shared_bytes, unsigned shift, bool has_clocks);
void sim_checks_free(struct sim_checks *checks);

/** Before a block starts. */
void sim_checks_start_block(struct worker *worker);

/** What was done before is ordered before what follows: a barrier has opened, or a fence. */
void sim_checks_order(struct sim_checks *checks);

/** A fence that a warp executes, for the block alone or for others, too. */
void sim_checks_fence(struct warp *warp, bool is_block);

/** A warp looks at what other threads set. */
static inline void sim_checks_look(struct warp *warp)
{
    warp->worker->checks->global.looked_inside |= UINT32_C(1) << warp->index;
}

/** Behind such a look, a fence or the acquiring look itself: what it orders within the block is not
 *  followed further, so that nothing that any warp has done before counts. */
void sim_checks_acquire(struct warp *warp);

#endif
