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

/** The path on top of the stack, which waits; NULL: none. */
struct path *sim_top_path(const struct warp *warp);

/** Frees what a warp has for its paths. */
void sim_free_paths(struct warp *warp);

/** Goes on with the next path of the stack, as the current one has ended.
 *  @return where the warp goes on; NULL when it has exited. */
const struct instruction *sim_next_path(struct warp *warp);

/** Removes lanes for good (exit, or ret from the entry). */
void sim_exit_lanes(struct warp *warp, uint32_t lanes);

/** Ends the current function for some lanes; if it is the kernel, their threads end.
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

/** Counts a segment; ends the warp's turn when its budget is used up. */
const struct instruction *sim_run_segment(struct warp *warp, const struct instruction *at);

/** As sim_run_segment(), at a place where paths meet. */
const struct instruction *sim_run_join(struct warp *warp, const struct instruction *at);

/** The end of a function's text: an implicit ret. */
const struct instruction *sim_run_end(struct warp *warp, const struct instruction *at);

/* ---- Waiting for other threads ---- */

/** For instructions that lanes execute together (barriers, shuffles): where lanes of `wanted` are
 *  on a path that has not come here yet, this path runs first. It may be that of a caller, or of
 *  another function that a caller has called.
 *  @return where to go on instead; NULL when the instruction is to be executed now. */
const struct instruction *sim_converge(struct warp *warp, const struct instruction *at,
                                       uint32_t wanted);

/** As sim_converge(), for what lanes need not come to in one function: those that have returned
 *  from this one may go on and come, too. `members`: all who meet, which others may ask for. */
const struct instruction *sim_converge_members(struct warp *warp, const struct instruction *at,
                                               uint32_t wanted, uint32_t members);

/** Lanes that wait at an instruction, in the frame of their own call of its function. */
struct group_there {
    struct path *path;
    uint32_t lanes;
    char *frame;
};

/** Finds the groups that wait at an instruction for the same members.
 *  @return how many; each has at least a lane. */
int sim_groups_at(struct warp *warp, const struct instruction *at, uint32_t members,
                  struct group_there groups[WARP_LANES]);

/** Lets lanes that wait at an instruction, which was executed for them, go on after it. */
void sim_let_go(struct path *path);

/** Comes after an access that a loop may repeat until another thread acts: ends the turn sooner. */
const struct instruction *sim_run_poll(struct warp *warp, const struct instruction *at);

/** For a warp that is not running and seems to wait in a loop for lanes of its own, which wait at
 *  the loop's end, on another side of a branch, or for a function to return: lets those lanes go
 *  first that have waited longest, as independent thread scheduling would. */
void sim_split_waiting(struct warp *warp);

#endif
