/* The members of a warp operation: the lanes that must come before it goes on (__syncwarp(),
 * shuffles, votes). A lane must be a member of its own mask, and every member that has not ended
 * must come. Members of a __syncwarp() may come to different ones, as on two sides of a branch. */
#include "control.h"

#include "sim/check/order.h"
#include "sim/decoding/flags.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"
#include "sim/memory/warning.h"

#include <stdlib.h>

/* ---- Masks ---- */

__attribute__((noreturn)) static void report_absent(struct warp *warp, const struct instruction *at,
                                                    uint32_t missing)
{
    const int lane = __builtin_ctz(warp->active), other = __builtin_ctz(missing);
    const bool is_barrier = sim_source(warp, at)->operation == PTX_OP_bar; /* __syncwarp() */
    sim_fault(warp, at, lane, SIM_DIVERGENT_BARRIER, 0,
              "%s names lane %d in its mask, but thread (%u, %u, %u) of that lane does not execute "
              "it with the others; all lanes that it names must come to it: move it out of the "
              "branch or loop that some leave out%s; or, where they are to take no part, the mask "
              "must name the threads that come here together",
              sim_source(warp, at)->opcode, other, warp->thread[0][other], warp->thread[1][other],
              warp->thread[2][other],
              is_barrier ? ""
                         : ", with a value of theirs that changes nothing, such as 0 in a sum");
}

/* For different masks: a lane must be in its own, and its members must give the same mask. */
static void check_masks(struct warp *warp, const struct instruction *at, const uint32_t *masks)
{
    EACH_ACTIVE(lane, warp->active)
    {
        if (!(masks[lane] >> lane & 1))
            sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, 0,
                      "%s with mask 0x%08x is executed by lane %u, which that mask does not name; "
                      "the mask must name the threads that come here together, and only these may "
                      "come",
                      sim_source(warp, at)->opcode, masks[lane], lane);
        EACH_ACTIVE(other, masks[lane] & warp->active)
        if (masks[other] != masks[lane])
            sim_fault(warp, at, (int)lane, SIM_DIVERGENT_BARRIER, 0,
                      "%s: lane %u gives mask 0x%08x, and lane %u, which is in it, mask 0x%08x; "
                      "threads that come together must give the same mask",
                      sim_source(warp, at)->opcode, lane, masks[lane], other, masks[other]);
    }
}

/* Checks the masks of the active lanes. @return all their members */
static uint32_t read_masks(struct warp *warp, const struct instruction *at, const uint32_t *masks)
{
    const uint32_t first = masks[__builtin_ctz(warp->active)];
    uint32_t differs = 0, wanted = 0;
    EACH_LANE differs |= masks[lane] ^ first;
    if (!differs && (warp->active & ~first) == 0)
        return first;
    check_masks(warp, at, masks);
    EACH_ACTIVE(lane, warp->active) wanted |= masks[lane];
    return wanted;
}

/* Tells the checks that the lanes of each mask have met. */
static void note_meeting(struct warp *warp, const uint32_t *masks)
{
    uint32_t rest = warp->active;
    while (warp->worker->checks && rest) {
        const uint32_t group = masks[__builtin_ctz(rest)];
        sim_checks_meet(warp, group & ~warp->exited);
        rest &= ~group;
    }
}

/* Copies the values that some lanes have in one place from a frame to another. */
static void copy_column(char *to, const char *from, int32_t offset, char kind, uint32_t lanes)
{
    if (kind == 'w')
        sim_blend32(to + offset, from + offset, lanes);
    else if (kind == 'l')
        sim_blend64(to + offset, from + offset, lanes);
    else if (kind == 'p')
        *(uint32_t *)(to + offset) =
            (*(uint32_t *)(to + offset) & ~lanes) | (*(const uint32_t *)(from + offset) & lanes);
}

static void copy_sources(char *to, const char *from, const struct instruction *at,
                         const struct exchange *exchange, uint32_t lanes)
{
    copy_column(to, from, exchange->mask, 'w', lanes);
    copy_column(to, from, at->a, exchange->kinds[1], lanes);
    copy_column(to, from, at->b, exchange->kinds[2], lanes);
    copy_column(to, from, at->c, exchange->kinds[3], lanes);
}

static void copy_results(char *to, const char *from, const struct instruction *at,
                         const struct exchange *exchange, uint32_t lanes)
{
    copy_column(to, from, at->d, exchange->kinds[0], lanes);
    copy_column(to, from, exchange->truth, exchange->truth >= 0 ? 'p' : '-', lanes);
}

/* Executes an exchange for the active lanes and for groups that wait there. */
static const struct instruction *exchange_together(struct warp *warp, const struct instruction *at,
                                                   const struct exchange *exchange,
                                                   const struct group_there *groups, int count)
{
    const uint32_t active = warp->active;
    for (int i = 0; i < count; i++) {
        if (groups[i].frame != warp->frame)
            copy_sources(warp->frame, groups[i].frame, at, exchange, groups[i].lanes);
        warp->active |= groups[i].lanes;
    }
    const struct instruction *const next = at->run(warp, at);
    for (int i = 0; i < count; i++) {
        if (groups[i].frame != warp->frame)
            copy_results(groups[i].frame, warp->frame, at, exchange, groups[i].lanes);
        sim_let_go(groups[i].path);
    }
    warp->active = active;
    return next;
}

const struct instruction *sim_gather_exchange(struct warp *warp, const struct instruction *at,
                                              const struct exchange *exchange)
{
    const uint32_t *const masks = sim_slot(warp, exchange->mask);
    const uint32_t missing = read_masks(warp, at, masks) & ~warp->exited & ~warp->active;
    if (missing) {
        struct group_there groups[WARP_LANES];
        const uint32_t members = missing | warp->active;
        const int count = sim_groups_at(warp, at, members, groups);
        uint32_t coming = missing;
        for (int i = 0; i < count; i++)
            coming &= ~groups[i].lanes;
        const struct instruction *const other =
            sim_converge_members(warp, at, coming ? coming : missing, members);
        if (other)
            return other;
        if (coming)
            report_absent(warp, at, coming);
        return exchange_together(warp, at, exchange, groups, count);
    }
    note_meeting(warp, masks);
    return NULL;
}

const struct instruction *sim_gather_members(struct warp *warp, const struct instruction *at,
                                             int32_t mask_slot)
{
    const uint32_t *const masks = sim_slot(warp, mask_slot);
    const uint32_t missing = read_masks(warp, at, masks) & ~warp->exited & ~warp->active;
    if (missing) {
        const struct instruction *const other =
            sim_converge_members(warp, at, missing, missing | warp->active);
        if (other)
            return other;
        report_absent(warp, at, missing);
    }
    note_meeting(warp, masks);
    return NULL;
}

/* ---- __activemask() ---- */

/* Whether an instruction uses marked registers as a mask alone, or hands them on. */
static bool takes_as_mask(const struct ptx_instruction *source, const bool *found)
{
    const int mask = source->operation == PTX_OP_shfl  ? 4
                     : ptx_has_part(source, "warp")    ? 0
                     : source->operation == PTX_OP_mov ? 1
                                                       : -1;
    for (int o = ptx_first_read(source); o < source->operand_count; o++)
        if (o != mask && sim_depends(found, &source->operands[o]))
            return false;
    return true;
}

/* Whether a mask is what activemask has given, and nothing asks which lanes these are. Who asks,
 * for a leader or a number, may be right whichever lanes come. */
static bool is_of_active_lanes(const struct ptx_function *ptx, const struct ptx_operand *mask)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool is = found && sim_mark(found, mask), any = false;
    for (bool has_grown = is; has_grown;) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_instruction *const at = &ptx->instructions[i];
            const bool is_copy =
                at->operation == PTX_OP_mov &&
                (sim_depends(found, &at->operands[0]) || sim_depends(found, &at->operands[1]));
            for (int o = 0; o < 2 && is_copy; o++)
                has_grown |= sim_mark(found, &at->operands[o]);
        }
    }
    for (int i = 0; i < ptx->instruction_count && is; i++) {
        const struct ptx_instruction *const at = &ptx->instructions[i];
        const bool gives = ptx_writes_result(at) && sim_depends(found, &at->operands[0]);
        any = any || (gives && at->operation == PTX_OP_activemask);
        is = takes_as_mask(at, found) &&
             (!gives || at->operation == PTX_OP_activemask || at->operation == PTX_OP_mov);
    }
    free(found);
    return is && any;
}

static const struct instruction *run_warn_active(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks && sim_warning_is_new(warp, at, 0))
        sim_warn(warp, at, SIM_DIVERGENT_BARRIER,
                 "%s takes its mask from __activemask(): lanes that have parted before need not be "
                 "together again here, so that fewer may take part than it seems, and values are "
                 "left out; name the lanes that must come, 0xFFFFFFFF for all, or those that "
                 "__ballot_sync() has found before the branch",
                 sim_source(warp, at)->operation == PTX_OP_shfl ? "the shuffle" : "__syncwarp()");
    return at + 1;
}

void sim_warn_of_mask(struct decoder *decoder, const struct ptx_instruction *source, int mask)
{
    if (is_of_active_lanes(sim_decoder_function(decoder)->ptx, &source->operands[mask]))
        sim_emit(decoder, source, run_warn_active);
}

/* ---- __syncwarp() ---- */

/* Whether only straight-line code lies between an instruction and the end of the thread. */
static bool leads_to_end(const struct warp *warp, const struct instruction *at)
{
    const unsigned stops = PTX_BRANCHES | PTX_CALLS | PTX_WAITS | PTX_MEETS;
    const struct ptx_function *const function = warp->function->ptx;
    if (warp->call_depth > 0)
        return false;
    for (int i = (int)at->source; i < function->instruction_count; i++) {
        const struct ptx_instruction *const source = &function->instructions[i];
        if (source->guard < 0 && ptx_does(source, PTX_RETURNS))
            return true;
        if (ptx_does(source, stops))
            return false;
    }
    return true;
}

static bool is_warp_sync(const struct instruction *at)
{
    return at->run == sim_run_warp_sync || at->body == sim_run_warp_sync;
}

/* The missing members that surely do not come: they wait at a join for the active lanes, or at
 * another barrier, or pass by. */
static uint32_t find_absent(const struct warp *warp, uint32_t missing)
{
    uint32_t absent = 0, rest = missing;
    for (int i = warp->path_count - 1; i >= 0 && rest; i--) {
        const struct path *const path = &warp->paths[i];
        const uint32_t here = path->mask & rest;
        const bool may_come = path->kind == PATH_SIDE
                                  ? !path->awaits || is_warp_sync(path->at)
                                  : path->kind == PATH_JOIN && leads_to_end(warp, path->at);
        absent |= may_come ? 0 : here;
        rest &= ~here;
    }
    return absent | rest;
}

/* The lanes among some paths that wait at a __syncwarp() for the same members. `releases`: they go
 * on from there. */
static uint32_t waiting_likewise(struct path *paths, int count, uint32_t members, bool releases)
{
    uint32_t waiting = 0;
    for (int i = 0; i < count; i++) {
        struct path *const path = &paths[i];
        struct held *const held = path->kind == PATH_SIDE ? path->held : NULL;
        if (held)
            waiting |= waiting_likewise(held->paths, held->path_count, members, releases);
        if (path->kind != PATH_SIDE || path->awaits != members || !is_warp_sync(path->at))
            continue;
        waiting |= held ? held->active : path->mask;
        if (releases)
            sim_let_go(path);
    }
    return waiting;
}

static const struct instruction *go_on(struct warp *warp, const struct instruction *at,
                                       const uint32_t *masks)
{
    warp->sync_ahead = 0;
    note_meeting(warp, masks);
    return at + 1;
}

const struct instruction *sim_run_warp_sync(struct warp *warp, const struct instruction *at)
{
    const uint32_t *const masks = sim_slot(warp, at->a);
    const uint32_t wanted = read_masks(warp, at, masks);
    uint32_t missing = wanted & ~warp->exited & ~warp->active;
    if (warp->sync_mask == wanted)
        missing &= ~warp->sync_ahead;
    if (!missing)
        return go_on(warp, at, masks);
    const uint32_t waiting = waiting_likewise(warp->paths, warp->path_count, wanted, false);
    const struct instruction *const other =
        sim_converge_members(warp, at, missing & ~waiting ? missing & ~waiting : missing, wanted);
    if (other)
        return other;
    if (!(missing & ~waiting)) {
        waiting_likewise(warp->paths, warp->path_count, wanted, true);
        return go_on(warp, at, masks);
    }
    const uint32_t absent = find_absent(warp, missing);
    if (absent)
        report_absent(warp, at, absent);
    note_meeting(warp, masks);
    warp->sync_ahead = (warp->sync_mask == wanted ? warp->sync_ahead : 0) | warp->active;
    warp->sync_mask = wanted;
    return at + 1;
}
