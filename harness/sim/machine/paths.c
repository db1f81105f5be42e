/* The paths of a warp: which lanes execute, what the others wait for, and the pseudo-operations
 * that the decoder puts between a function's own instructions. */
#include "paths.h"

#include "lanes.h"

#include <stdlib.h>

/* ---- The stack of paths ---- */

struct path *sim_push_path(struct warp *warp, const struct instruction *at)
{
    if (warp->path_count == warp->path_capacity) {
        const int larger = warp->path_capacity ? 2 * warp->path_capacity : 64;
        struct path *const moved = realloc(warp->paths, (size_t)larger * sizeof *moved);
        if (!moved)
            sim_fault(warp, at, __builtin_ctz(warp->active), SIM_BAD_LAUNCH, 0,
                      "the simulator ran out of memory for divergent paths");
        warp->paths = moved;
        warp->path_capacity = larger;
    }
    return &warp->paths[warp->path_count++];
}

struct path *sim_top_path(const struct warp *warp)
{
    return warp->path_count > 0 ? &warp->paths[warp->path_count - 1] : NULL;
}

/* Gives a returning function's result and its lanes back to the caller. */
static void return_to_caller(struct warp *warp, const struct path *caller)
{
    const struct call_site *const site = caller->site;
    if (site->result_bytes > 0) {
        const int32_t from = warp->function->return_offsets[0];
        for (int32_t byte = 0; byte < site->result_bytes; byte += 4)
            sim_blend32(sim_local_slot(warp, caller->local_base, site->result_offset + byte),
                        sim_local_slot(warp, warp->local_base, from + byte),
                        caller->mask & ~warp->exited);
    }
    warp->stack -= warp->function->stack_bytes;
    warp->last_callee = warp->function;
    warp->last_base = warp->local_base;
    warp->frame = caller->frame;
    warp->function = caller->function;
    warp->local_base = caller->local_base;
    warp->live = caller->live & ~warp->exited;
    warp->call_depth--;
}

const struct instruction *sim_next_path(struct warp *warp)
{
    warp->parked = false;
    warp->polls = 0;
    while (warp->path_count > 0) {
        const struct path *const path = &warp->paths[--warp->path_count];
        if (path->kind == PATH_CALL)
            return_to_caller(warp, path);
        warp->active = path->mask & warp->live;
        if (warp->active)
            return path->at;
    }
    warp->active = 0;
    warp->state = WARP_EXITED;
    return NULL;
}

void sim_exit_lanes(struct warp *warp, uint32_t lanes)
{
    warp->exited |= lanes;
    warp->live &= ~lanes;
    warp->active &= ~lanes;
}

/* ---- Pseudo-operations ---- */

const struct instruction *sim_run_guarded(struct warp *warp, const struct instruction *at)
{
    const uint32_t active = warp->active;
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    if (lanes == 0)
        return at + 1;
    warp->active = lanes;
    const struct instruction *const next = at->body(warp, at);
    warp->active = active;
    return next;
}

const struct instruction *sim_run_segment(struct warp *warp, const struct instruction *at)
{
    struct segment_count *const count = &warp->worker->counts[at->value];
    count->warps++;
    count->threads += (unsigned)__builtin_popcount(warp->active);
    if (--warp->budget > 0)
        return at + 1;
    warp->at = at + 1;
    return NULL;
}

const struct instruction *sim_run_join(struct warp *warp, const struct instruction *at)
{
    const struct path *const top = sim_top_path(warp);
    if (top && top->join == at)
        return sim_next_path(warp);
    return sim_run_segment(warp, at);
}

const struct instruction *sim_return_lanes(struct warp *warp, const struct instruction *at,
                                           uint32_t lanes)
{
    if (warp->call_depth == 0) {
        sim_exit_lanes(warp, lanes);
    } else {
        warp->live &= ~lanes;
        warp->active &= ~lanes;
    }
    return warp->active ? at + 1 : sim_next_path(warp);
}

const struct instruction *sim_run_end(struct warp *warp, const struct instruction *at)
{
    return sim_return_lanes(warp, at, warp->active);
}

/* ---- Waiting for other threads ---- */

const struct instruction *sim_converge(struct warp *warp, const struct instruction *at,
                                       uint32_t wanted)
{
    const uint32_t missing = wanted & warp->live & ~warp->active;
    struct path *const top = warp->path_count > 0 ? &warp->paths[warp->path_count - 1] : NULL;
    if (!missing || !top || top->kind != PATH_SIDE || at->run == sim_run_guarded)
        return NULL;
    if (top->at == at) {
        warp->active |= top->mask & warp->live;
        warp->path_count--;
        warp->parked = false;
        return at;
    }
    if (warp->parked)
        return NULL;
    const uint32_t mask = top->mask & warp->live;
    const struct instruction *const other = top->at;
    if (!mask)
        return NULL;
    top->mask = warp->active;
    top->at = at;
    top->is_parked = true;
    warp->active = mask;
    warp->parked = true;
    return other;
}

const struct instruction *sim_run_poll(struct warp *warp, const struct instruction *at)
{
    enum { COST = 32 };
    const unsigned weight = warp->block->poll_weight;
    warp->polls += weight;
    warp->has_polled = true;
    warp->poll = at;
    warp->budget -= (int)weight * COST;
    return at + 1;
}

void sim_split_waiting(struct warp *warp)
{
    struct path *const top = sim_top_path(warp);
    warp->polls = 0;
    if (!top || top->kind == PATH_CALL || top->is_parked)
        return;
    const uint32_t others = top->mask & warp->live & ~warp->active;
    if (!others)
        return;
    const struct instruction *const at = top->at;
    if (top->kind == PATH_JOIN) {
        /* The lanes at the join go on alone; the lanes that wait follow them as a side path. */
        const struct path *const below = warp->path_count > 1 ? top - 1 : NULL;
        top->kind = PATH_SIDE;
        top->join = below ? below->join : NULL;
    }
    top->mask = warp->active;
    top->at = warp->at;
    warp->active = others;
    warp->at = at;
}
