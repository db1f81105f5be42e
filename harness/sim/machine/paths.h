/**
 * @file paths.h
 * @brief The paths of a warp: which lanes execute now, and what the others wait for.
 */
#ifndef SIM_MACHINE_PATHS_H
#define SIM_MACHINE_PATHS_H

#include "warp.h"

/* ---- The stack of paths ---- */

/** Pushes a path; the warp's stack grows as needed. */
struct path *sim_push_path(struct warp *warp, const struct instruction *at);

/** The path that waits on top; NULL: none. */
struct path *sim_top_path(const struct warp *warp);

/** Why a warp's dispatch loop stops: the current path has ended; @return where the warp goes on, or
 *  NULL when it has exited. */
const struct instruction *sim_next_path(struct warp *warp);

/** Removes lanes for good (exit, or ret from the entry). */
void sim_exit_lanes(struct warp *warp, uint32_t lanes);

/** Ends the current function for some lanes, or the threads where it is the kernel.
 *  @return where the warp goes on; NULL when it has exited. */
const struct instruction *sim_return_lanes(struct warp *warp, const struct instruction *at,
                                           uint32_t lanes);

/** Lanes for which an instruction's guard holds. */
static inline uint32_t sim_guarded_lanes(const struct warp *warp, const struct instruction *at)
{
    if (at->guard < 0)
        return warp->active;
    return warp->active & sim_predicate(warp, at->guard, at->flags & FLAG_GUARD_NEGATED);
}

/* ---- Pseudo-operations ---- */

/** Evaluates the guard, then runs the instruction's body for the lanes where it holds. */
const struct instruction *sim_run_guarded(struct warp *warp, const struct instruction *at);

/** Counts a segment; lets other warps run when this one has had its turn. */
const struct instruction *sim_run_segment(struct warp *warp, const struct instruction *at);

/** The same where paths meet. */
const struct instruction *sim_run_join(struct warp *warp, const struct instruction *at);

/** The end of a function's text: an implicit ret. */
const struct instruction *sim_run_end(struct warp *warp, const struct instruction *at);

/* ---- Waiting for other threads ---- */

/** For instructions that lanes execute together (barriers, shuffles): when lanes of `wanted` are on
 *  a path that has not come here yet, lets that path run first.
 *  @return where to go on instead, or NULL when the instruction is to be executed now. */
const struct instruction *sim_converge(struct warp *warp, const struct instruction *at,
                                       uint32_t wanted);

/** Follows what a loop may do until another thread acts: the warp's turn ends sooner. */
const struct instruction *sim_run_poll(struct warp *warp, const struct instruction *at);

/** For a warp that is not running and seems to wait in a loop for lanes of its own, which wait at
 *  the loop's end: lets those go first, as independent thread scheduling would. */
void sim_split_waiting(struct warp *warp);

#endif
