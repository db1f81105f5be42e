/* The paths of a warp: which lanes execute, what the others wait for, and the pseudo-operations
 * that the decoder puts between a function's own instructions. */
#include "paths.h"

#include "lanes.h"

#include <stdlib.h>
#include <string.h>

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

/* Copies the result of a function for some lanes to where the caller has it. */
static void give_result(struct warp *warp, const struct path *caller, uint32_t lanes)
{
    const struct call_site *const site = caller->site;
    for (int32_t byte = 0; byte < site->result_bytes; byte += 4)
        sim_blend32(
            sim_local_slot(warp, caller->local_base, site->result_offset + byte),
            sim_local_slot(warp, warp->local_base, warp->function->return_offsets[0] + byte),
            lanes);
}

/* Makes the caller's state that of the warp, but for who is active. */
static void leave_function(struct warp *warp, const struct path *caller)
{
    warp->stack -= warp->function->stack_bytes;
    warp->frame = caller->frame;
    warp->function = caller->function;
    warp->local_base = caller->local_base;
    warp->live = caller->live & ~warp->exited;
    warp->call_depth--;
}

/* Gives a returning function's result and its lanes back to the caller. */
static void return_to_caller(struct warp *warp, const struct path *caller)
{
    give_result(warp, caller, caller->mask & ~warp->exited);
    warp->last_callee = warp->function;
    warp->last_base = warp->local_base;
    leave_function(warp, caller);
}

/* ---- Paths that are set aside together ---- */

__attribute__((noreturn)) static void out_of_memory(struct warp *warp, const struct instruction *at)
{
    sim_fault(warp, at, __builtin_ctz(warp->active), SIM_BAD_LAUNCH, 0,
              "the simulator ran out of memory for divergent paths");
}

static void *at_least(struct warp *warp, const struct instruction *at, void *memory, size_t bytes)
{
    void *const moved = realloc(memory, bytes);
    if (!moved)
        out_of_memory(warp, at);
    return moved;
}

static struct held *new_held(struct warp *warp, const struct instruction *at)
{
    const int free_one = __builtin_ctz(~warp->held_used);
    struct held **const held = &warp->held[free_one];
    if (!*held && !(*held = calloc(1, sizeof **held)))
        out_of_memory(warp, at);
    warp->held_used |= UINT32_C(1) << free_one;
    return *held;
}

static void free_held(struct warp *warp, const struct held *held)
{
    for (int i = 0; i < WARP_LANES; i++)
        if (warp->held[i] == held)
            warp->held_used &= ~(UINT32_C(1) << i);
}

void sim_free_paths(struct warp *warp)
{
    for (int i = 0; i < WARP_LANES; i++) {
        if (warp->held[i]) {
            free(warp->held[i]->paths);
            free(warp->held[i]->frames);
        }
        free(warp->held[i]);
    }
    free(warp->paths);
}

/* Where the frames of functions begin that the current one calls. */
static char *frames_above(const struct warp *warp)
{
    return warp->frame + warp->function->frame_bytes;
}

/* Copies the state of the warp, the paths from an index on among it. `below`: the function below
 * the first call of these paths has its end there; NULL: there is no call. */
static void fill_held(struct warp *warp, struct held *held, const struct instruction *at, int first,
                      const char *below)
{
    const int count = warp->path_count - first;
    if (count > held->path_capacity) {
        held->paths = at_least(warp, at, held->paths, (size_t)count * sizeof *held->paths);
        held->path_capacity = count;
    }
    memcpy(held->paths, &warp->paths[first], (size_t)count * sizeof *held->paths);
    held->path_count = count;
    held->frame_bytes = below ? (size_t)(frames_above(warp) - below) : 0;
    held->frame_at = below ? (size_t)(warp->frame - below) : 0;
    if (held->frame_bytes > held->frame_capacity) {
        held->frames = at_least(warp, at, held->frames, held->frame_bytes);
        held->frame_capacity = held->frame_bytes;
    }
    if (below)
        memcpy(held->frames, below, held->frame_bytes);
    held->at = at;
    held->active = warp->active;
    held->live = warp->live;
    held->local_base = warp->local_base;
    held->stack = warp->stack;
    held->call_depth = warp->call_depth;
    held->frame = warp->frame;
    held->function = warp->function;
    held->poll = warp->poll;
}

/* Puts back what was set aside, on top of the stack. @return where it goes on */
static const struct instruction *resume(struct warp *warp, const struct held *held)
{
    const int first = warp->path_count;
    for (int i = 0; i < held->path_count; i++)
        *sim_push_path(warp, held->at) = held->paths[i];
    if (held->lowest_call >= 0) {
        /* Meanwhile others may have returned from the function that made the lowest call. */
        warp->paths[first + held->lowest_call].live = warp->live;
        memcpy(frames_above(warp), held->frames, held->frame_bytes);
        warp->live = held->live & ~warp->exited;
        warp->local_base = held->local_base;
        warp->stack = held->stack;
        warp->call_depth = held->call_depth;
        warp->frame = held->frame;
        warp->function = held->function;
    }
    warp->poll = held->poll;
    warp->active = held->active & warp->live;
    free_held(warp, held);
    return held->at;
}

/* A walk down the stack. */
struct walk {
    int index;      /**< of an entry */
    uint32_t above; /**< lanes of the current path and of the entries above, in that function */
    uint32_t live;  /**< lanes still in the function of the entries below */
};

static struct walk walk_from_top(const struct warp *warp)
{
    return (struct walk){warp->path_count, warp->active, warp->live};
}

/* Goes to the next entry. @return the lanes that could go on there now: those of a PATH_SIDE, and
 * those that have come to a join or have returned from a call, where they wait for others. */
static uint32_t walk_down(const struct warp *warp, struct walk *walk)
{
    const struct path *const path = &warp->paths[--walk->index];
    uint32_t lanes = path->mask & walk->live;
    if (path->kind == PATH_CALL) {
        lanes = path->mask & path->live & ~warp->exited & ~walk->live;
        walk->live = path->live & ~warp->exited;
        walk->above = path->mask & walk->live;
    } else {
        if (path->kind == PATH_JOIN)
            lanes &= ~walk->above;
        walk->above |= path->mask & walk->live;
    }
    return lanes;
}

/* Sets the current path, which goes on `at`, and all above an entry aside, in the place of that
 * entry, and goes on with the lanes that wait there. @return where */
static const struct instruction *go_on_below(struct warp *warp, int index,
                                             const struct instruction *at, uint32_t awaits)
{
    struct walk walk = walk_from_top(warp);
    uint32_t lanes = 0;
    while (walk.index > index)
        lanes = walk_down(warp, &walk);
    const struct path target = warp->paths[index];
    const bool is_call = target.kind == PATH_CALL;
    const bool is_kept = is_call || (target.kind == PATH_JOIN && index + 1 < warp->path_count);
    const int first = is_kept ? index : index + 1;
    struct path place = {PATH_SIDE,
                         .mask = (target.kind == PATH_SIDE ? 0 : target.mask & walk.live) & ~lanes,
                         .at = at,
                         .awaits = awaits,
                         .since = ++warp->switches,
                         .join = target.kind == PATH_SIDE ? target.join
                                 : index > 0              ? warp->paths[index - 1].join
                                                          : NULL};
    int lowest_call = -1;
    for (int i = warp->path_count - 1; i >= first; i--)
        lowest_call = warp->paths[i].kind == PATH_CALL ? i : lowest_call;
    if (target.kind == PATH_SIDE) {
        walk = walk_from_top(warp);
        while (walk.index > index + 1)
            walk_down(warp, &walk);
        place.mask = walk.above & walk.live;
    }
    warp->paths[index].mask &= ~(is_kept ? lanes : 0);
    if (first < warp->path_count) {
        const struct path *const call = lowest_call >= 0 ? &warp->paths[lowest_call] : NULL;
        place.held = new_held(warp, at);
        place.held->lowest_call = call ? lowest_call - first : -1;
        fill_held(warp, place.held, at, first,
                  call ? call->frame + call->function->frame_bytes : NULL);
    }
    for (int i = warp->path_count - 1; i >= first; i--) {
        if (warp->paths[i].kind != PATH_CALL)
            continue;
        if (i == index)
            give_result(warp, &target, lanes);
        leave_function(warp, &warp->paths[i]);
        warp->poll = NULL;
    }
    warp->paths[index] = place;
    warp->path_count = index + 1;
    if (target.kind == PATH_SIDE && target.held)
        return resume(warp, target.held);
    warp->active = lanes;
    return target.at;
}

const struct instruction *sim_next_path(struct warp *warp)
{
    warp->polls = 0;
    while (warp->path_count > 0) {
        const struct path *const path = &warp->paths[--warp->path_count];
        if (path->kind == PATH_CALL)
            return_to_caller(warp, path);
        else if (path->kind == PATH_SIDE && path->held)
            return resume(warp, path->held);
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

/* The uppermost entry where lanes of `wanted` may go on, and come. -1: none */
static int find_coming(const struct warp *warp, uint32_t wanted, bool may_have_returned)
{
    struct walk walk = walk_from_top(warp);
    while (walk.index > 0) {
        const uint32_t lanes = walk_down(warp, &walk);
        const struct path *const path = &warp->paths[walk.index];
        const bool may_come =
            path->kind == PATH_SIDE ? !path->awaits : path->kind == PATH_CALL && may_have_returned;
        if (may_come && (lanes & wanted))
            return walk.index;
    }
    return -1;
}

static const struct instruction *converge(struct warp *warp, const struct instruction *at,
                                          uint32_t wanted, uint32_t awaits, bool may_have_returned)
{
    const uint32_t missing = wanted & ~warp->exited & ~warp->active;
    struct path *const top = sim_top_path(warp);
    if (!missing || !top || at->run == sim_run_guarded)
        return NULL;
    if (top->kind == PATH_SIDE && !top->held && top->at == at) {
        warp->active |= top->mask & warp->live;
        warp->path_count--;
        return at;
    }
    const int index = find_coming(warp, missing, may_have_returned);
    return index < 0 ? NULL : go_on_below(warp, index, at, awaits);
}

const struct instruction *sim_converge(struct warp *warp, const struct instruction *at,
                                       uint32_t wanted)
{
    return converge(warp, at, wanted, wanted, false);
}

const struct instruction *sim_converge_members(struct warp *warp, const struct instruction *at,
                                               uint32_t wanted, uint32_t members)
{
    return converge(warp, at, wanted, members, true);
}

int sim_groups_at(struct warp *warp, const struct instruction *at, uint32_t members,
                  struct group_there groups[WARP_LANES])
{
    int count = 0;
    char *frame = warp->frame;
    for (int i = warp->path_count - 1; i >= 0; i--) {
        struct path *const path = &warp->paths[i];
        if (path->kind == PATH_CALL)
            frame = path->frame;
        if (path->kind != PATH_SIDE || path->at != at || !path->awaits ||
            (path->awaits & ~warp->exited) != members)
            continue;
        const struct held *const held = path->held;
        groups[count++] =
            (struct group_there){path, held ? held->active : path->mask,
                                 !held                    ? frame
                                 : held->lowest_call >= 0 ? held->frames + held->frame_at
                                                          : held->frame};
    }
    return count;
}

void sim_let_go(struct path *path)
{
    path->at++;
    path->awaits = 0;
    if (path->held)
        path->held->at++;
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
    struct walk walk = walk_from_top(warp);
    int longest = -1;
    while (walk.index > 0) {
        const uint32_t lanes = walk_down(warp, &walk);
        const struct path *const path = &warp->paths[walk.index];
        if (lanes && !(path->kind == PATH_SIDE && path->awaits) &&
            (longest < 0 || path->since < warp->paths[longest].since))
            longest = walk.index;
    }
    if (longest >= 0)
        warp->at = go_on_below(warp, longest, warp->at, 0);
}
