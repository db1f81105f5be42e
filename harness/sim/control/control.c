/* Branches, returns and the end of threads.
 *
 * Where lanes of a warp branch differently, one side waits on the stack of paths. Each side runs to
 * the branch's join, the first instruction that all must come to, and from there they go on
 * together.
 */
#include "control.h"

#include "sim/check/order.h"
#include "sim/decoding/decoder.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

enum { MODE_TAKEN_FIRST = 1 << FLAG_MODE_SHIFT };

/* ---- Branches ---- */

/* Sends `taken` lanes to the target, the other lanes to the next instruction; one side waits. */
static const struct instruction *diverge(struct warp *warp, const struct instruction *at,
                                         uint32_t taken)
{
    const uint32_t others = warp->active & ~taken;
    const struct path *const top = sim_top_path(warp);
    const struct instruction *const outer = top ? top->join : NULL;
    const struct instruction *const join = at->extra ? at->extra : outer;
    if (join != outer) {
        struct path *const meeting = sim_push_path(warp, at);
        *meeting = (struct path){PATH_JOIN, .since = warp->switches, .mask = warp->active,
                                 .at = join, .join = join};
    }
    warp->polls = 0;
    const bool taken_waits = at->target == join, others_wait = at + 1 == join;
    const bool taken_first = others_wait || (!taken_waits && (at->flags & MODE_TAKEN_FIRST));
    if (!taken_waits && !others_wait) {
        struct path *const side = sim_push_path(warp, at);
        *side =
            (struct path){PATH_SIDE, .since = warp->switches, .mask = taken_first ? others : taken,
                          .at = taken_first ? at + 1 : at->target, .join = join};
    }
    warp->active = taken_first ? taken : others;
    return taken_first ? at->target : at + 1;
}

const struct instruction *sim_run_branch(struct warp *warp, const struct instruction *at)
{
    const uint32_t taken = sim_guarded_lanes(warp, at);
    if (taken == warp->active)
        return at->target;
    if (taken == 0)
        return at + 1;
    return diverge(warp, at, taken);
}

static const struct instruction *run_jump(struct warp *warp, const struct instruction *at)
{
    (void)warp;
    return at->target;
}

static void decode_bra(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *const operand = sim_operand(decoder, source, 0);
    if (operand->kind != PTX_OPERAND_LABEL)
        sim_refuse(decoder, source, "bra needs a label");
    struct instruction *const branch =
        sim_emit_plain(decoder, source, source->guard < 0 ? run_jump : sim_run_branch);
    sim_target_of_last(decoder, operand->target);
    if (source->guard < 0)
        return;
    const int join = sim_join_of(decoder, source);
    const int next = sim_index(decoder, source) + 1;
    if (join >= 0)
        sim_join_of_last(decoder, join);
    else if (sim_can_reach_barrier(decoder, next) &&
             !sim_can_reach_barrier(decoder, operand->target))
        branch->flags |= MODE_TAKEN_FIRST;
}

/* ---- brx.idx ---- */

struct branch_table {
    int count;
    const struct instruction *join;
    const struct instruction *targets[];
};

/* Each group of lanes with the same target becomes a PATH_SIDE; the groups run one by one. */
static const struct instruction *run_table(struct warp *warp, const struct instruction *at)
{
    const struct branch_table *const table = at->extra;
    const uint32_t *const index = sim_slot(warp, at->a);
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    uint32_t rest = lanes;
    const struct instruction *const outer = sim_top_path(warp) ? sim_top_path(warp)->join : NULL;
    const struct instruction *const join = table->join ? table->join : outer;
    bool is_split = false;
    if (lanes != warp->active) {
        is_split = true;
        if (join != outer)
            *sim_push_path(warp, at) = (struct path){
                PATH_JOIN, .since = warp->switches, .mask = warp->active, .at = join, .join = join};
        *sim_push_path(warp, at) =
            (struct path){PATH_SIDE, .since = warp->switches, .mask = warp->active & ~lanes,
                          .at = at + 1, .join = join};
    }
    while (rest) {
        const int first = __builtin_ctz(rest);
        if (index[first] >= (uint32_t)table->count)
            sim_fault(warp, at, first, SIM_TRAP, 0,
                      "brx.idx: index %u is outside of its %d targets", index[first], table->count);
        const struct instruction *const target = table->targets[index[first]];
        uint32_t same = 0;
        EACH_ACTIVE(lane, rest)
        if (index[lane] < (uint32_t)table->count && table->targets[index[lane]] == target)
            same |= 1u << lane;
        rest &= ~same;
        if (same == lanes && !is_split)
            return target;
        if (!is_split && join != outer)
            *sim_push_path(warp, at) = (struct path){
                PATH_JOIN, .since = warp->switches, .mask = warp->active, .at = join, .join = join};
        is_split = true;
        *sim_push_path(warp, at) = (struct path){PATH_SIDE, .since = warp->switches, .mask = same,
                                                 .at = target, .join = join};
    }
    return lanes ? sim_next_path(warp) : at + 1;
}

static void decode_brx(struct decoder *decoder, const struct ptx_instruction *source)
{
    const int count = sim_branch_targets(source, NULL, 0);
    if (count == 0)
        sim_refuse(decoder, source, "brx.idx without targets");
    int indices[count];
    sim_branch_targets(source, indices, count);
    const int32_t index = sim_source_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    struct branch_table *const table =
        sim_decoder_allocate(decoder, sizeof *table + (size_t)count * sizeof table->targets[0]);
    table->count = count;
    for (int i = 0; i < count; i++)
        sim_target(decoder, &table->targets[i], indices[i]);
    const int join = sim_join_of(decoder, source);
    if (join >= 0)
        sim_target(decoder, &table->join, join);
    struct instruction *const branch = sim_emit_plain(decoder, source, run_table);
    branch->a = index;
    branch->extra = table;
}

/* ---- The end of threads ---- */

static const struct instruction *run_ret(struct warp *warp, const struct instruction *at)
{
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    return lanes ? sim_return_lanes(warp, at, lanes) : at + 1;
}

static const struct instruction *run_exit(struct warp *warp, const struct instruction *at)
{
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    sim_exit_lanes(warp, lanes);
    return warp->active ? at + 1 : sim_next_path(warp);
}

static const struct instruction *run_trap(struct warp *warp, const struct instruction *at)
{
    const struct launch *const launch = warp->worker->launch;
    const bool has_no_grid = launch->program->has_grid_barrier && !launch->request->grid_barrier;
    sim_fault(warp, at, __builtin_ctz(warp->active), SIM_TRAP, 0,
              "the kernel stopped itself (%s)%s", sim_source(warp, at)->opcode,
              has_no_grid ? "; sync() of the grid does so in a launch that is not cooperative: "
                            "launch it by cudaLaunchCooperativeKernel()"
                          : "");
}

static const struct instruction *run_nothing(struct warp *warp, const struct instruction *at)
{
    (void)warp;
    return at + 1;
}

/* Lets other warps run, since a warp that sleeps waits for them. */
static const struct instruction *run_nanosleep(struct warp *warp, const struct instruction *at)
{
    enum { COST = 1024, POLLS = 32 }; /* a sleep counts as so many polls */
    warp->polls += POLLS;
    warp->has_polled = true;
    warp->budget -= COST;
    warp->at = at + 1;
    return NULL;
}

static void decode_ret(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit_plain(decoder, source, run_ret);
}

static void decode_exit(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit_plain(decoder, source, run_exit);
}

static void decode_trap(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit(decoder, source, run_trap);
}

static void decode_nothing(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit(decoder, source, run_nothing);
}

static const struct instruction *run_grid_wait(struct warp *warp, const struct instruction *at)
{
    sim_wait_for_kernel(warp);
    return at + 1;
}

static const struct instruction *run_let_next(struct warp *warp, const struct instruction *at)
{
    sim_wait_let_next(warp);
    return at + 1;
}

/* launch_dependents orders nothing: the next kernel is assumed to begin at once. */
static void decode_griddepcontrol(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit(decoder, source, ptx_has_part(source, "wait") ? run_grid_wait : run_let_next);
}

static void decode_nanosleep(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_emit(decoder, source, run_nanosleep);
}

const struct family sim_control_families[] = {
    {PTX_OP_bra, decode_bra},
    {PTX_OP_brx, decode_brx},
    {PTX_OP_ret, decode_ret},
    {PTX_OP_exit, decode_exit},
    {PTX_OP_trap, decode_trap},
    {PTX_OP_brkpt, decode_trap},
    {PTX_OP_nanosleep, decode_nanosleep},
    {PTX_OP_pmevent, decode_nothing},
    {PTX_OP_griddepcontrol, decode_griddepcontrol},
    {PTX_OP_setmaxnreg, decode_nothing},
    {PTX_OP_prefetch, decode_nothing},
    {PTX_OP_prefetchu, decode_nothing},
    {PTX_OP_applypriority, decode_nothing},
    {PTX_OP_UNKNOWN, NULL},
};
