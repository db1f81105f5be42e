/**
 * @file exec.h
 * @brief Handlers and decoding helpers that more than one file of the executor needs.
 */
#ifndef SIM_EXEC_EXEC_H
#define SIM_EXEC_EXEC_H

#include "decode.h"
#include "warp.h"

/* Pseudo-operations (control.c). */

/** Evaluates the guard, then runs the instruction's body for the lanes where it holds. */
const struct instruction *sim_run_guarded(struct warp *warp, const struct instruction *at);
/** Counts a segment; lets other warps run when this one has had its turn. */
const struct instruction *sim_run_segment(struct warp *warp, const struct instruction *at);
/** The same where paths meet. */
const struct instruction *sim_run_join(struct warp *warp, const struct instruction *at);
/** The end of a function's text: an implicit ret. */
const struct instruction *sim_run_end(struct warp *warp, const struct instruction *at);
/** Branches for the lanes where the guard holds. */
const struct instruction *sim_run_branch(struct warp *warp, const struct instruction *at);
/** bar and barrier (barrier.c). */
const struct instruction *sim_run_barrier(struct warp *warp, const struct instruction *at);

/** Where the lanes of a cp.async read and write. @return those that read. */
uint32_t sim_copy_lanes(const struct warp *warp, const struct instruction *at, uint64_t *from,
                        uint64_t *to);

/** Follows what a loop may do until another thread acts: the warp's turn ends sooner. */
const struct instruction *sim_run_poll(struct warp *warp, const struct instruction *at);

/** Lanes for which an instruction's guard holds. */
static inline uint32_t sim_guarded_lanes(const struct warp *warp, const struct instruction *at)
{
    if (at->guard < 0)
        return warp->active;
    return warp->active & sim_predicate(warp, at->guard, at->flags & FLAG_GUARD_NEGATED);
}

/** Pushes a path; the warp's stack grows as needed. */
struct path *sim_push_path(struct warp *warp, const struct instruction *at);

/** For instructions that lanes execute together (barriers, shuffles): when lanes of `wanted` are on
 *  a path that has not come here yet, lets that path run first.
 *  @return where to go on instead, or NULL when the instruction is to be executed now. */
const struct instruction *sim_converge(struct warp *warp, const struct instruction *at,
                                       uint32_t wanted);

/** For shuffles, votes and the like: waits for the members on other paths and faults when one does
 *  not come, or when a lane is no member of its own mask.
 *  @return where to go on instead, or NULL when all members are here. */
const struct instruction *sim_gather_members(struct warp *warp, const struct instruction *at,
                                             int32_t mask_row);

/** __syncwarp(): as above, but the members may come to different ones. */
const struct instruction *sim_run_warp_sync(struct warp *warp, const struct instruction *at);

/** A special register such as %tid.x, read into a temporary (special.c). */
int32_t sim_special_row(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind);

/** The address of a variable or function (move.c). */
int32_t sim_address_row(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind);

/** Copies a row (move.c). */
const struct instruction *sim_run_move32(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_move64(struct warp *warp, const struct instruction *at);

/** Runs one of the functions that every module may call without defining them (system_calls.c). */
struct system_call {
    const char *name;
    void (*run)(struct warp *warp, const struct instruction *at);
};
const struct system_call *sim_find_system_call(const char *name);

#endif
