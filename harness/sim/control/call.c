/* Calls: of functions by name, through addresses (function pointers, virtual functions), and of the
 * few functions that the device run-time system provides.
 *
 * As in the ABI, arguments and results go through local memory: the caller writes arguments into
 * its own frame, and the call copies them to the callee's. Registers have frames of their own. */
#include "control.h"

#include "sim/memory/names.h"

#include "sim/decoding/decode.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

#include <string.h>

/* Other lanes may have been left in a call whose local memory lies there. */
static void copy_word(void *to, const void *from, uint32_t lanes)
{
    if (lanes == ALL_LANES)
        memcpy(to, from, SLOT32_BYTES);
    else
        sim_blend32(to, from, lanes);
}

static void copy_arguments(struct warp *warp, const struct call_site *site,
                           const struct function *callee, uint32_t callee_base)
{
    for (int i = 0; i < site->argument_count && i < callee->ptx->param_count; i++)
        for (int32_t byte = 0; byte < site->argument_bytes[i]; byte += 4)
            copy_word(sim_local_slot(warp, callee_base, callee->param_offsets[i] + byte),
                      sim_local_slot(warp, warp->local_base, site->argument_offsets[i] + byte),
                      warp->active);
}

static const struct instruction *enter(struct warp *warp, const struct instruction *at,
                                       const struct function *callee)
{
    const struct launch *const launch = warp->worker->launch;
    const struct call_site *const site = at->extra;
    char *const frame = warp->frame + warp->function->frame_bytes;
    const uint32_t base = warp->local_base + (uint32_t)warp->function->local_bytes;
    char name[200];
    if (frame + callee->frame_bytes > warp->frames + launch->frame_stride ||
        base + callee->local_bytes > launch->local_limit) {
        sim_demangle(callee->ptx->name, name, sizeof name);
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_OUT_OF_BOUNDS, 0,
                  "stack overflow: calls are nested %d deep, and the call of %s does not fit any "
                  "more; recursion without an end is the usual cause",
                  warp->call_depth + 1, name);
    }
    const size_t most = launch->request->stack_bytes;
    if (launch->program->may_recurse && most && warp->stack + callee->stack_bytes > most) {
        sim_demangle(callee->ptx->name, name, sizeof name);
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_OUT_OF_BOUNDS, 0,
                  "stack overflow: calls are nested %d deep, and the call of %s leaves the %zu "
                  "bytes of stack that a thread has where the compiler does not know how deep they "
                  "go; a loop needs none, and cudaDeviceSetLimit(cudaLimitStackSize, ...) gives "
                  "more",
                  warp->call_depth + 1, name, most);
    }
    copy_arguments(warp, site, callee, base);
    *sim_push_path(warp, at) = (struct path){.kind = PATH_CALL,
                                             .mask = warp->active,
                                             .since = warp->switches,
                                             .at = at + 1,
                                             .live = warp->live,
                                             .local_base = warp->local_base,
                                             .frame = warp->frame,
                                             .function = warp->function,
                                             .site = site};
    warp->call_depth++;
    warp->stack += callee->stack_bytes;
    warp->live = warp->active;
    warp->local_base = base;
    warp->frame = frame;
    warp->function = callee;
    memset(frame, 0, (size_t)callee->register_bytes);
    memcpy(frame + callee->constants_at, callee->constants, callee->constant_bytes);
    return callee->code;
}

static const struct instruction *run_call(struct warp *warp, const struct instruction *at)
{
    return enter(warp, at, ((const struct call_site *)at->extra)->callee);
}

static const struct function *function_at(const struct program *program, uint64_t address)
{
    const uint64_t index = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE - 1;
    if (address % FUNCTION_STRIDE != 0 || index >= (uint64_t)program->function_count)
        return NULL;
    return program->functions[index];
}

/* Lanes that call different functions call them one group after the other. The lanes of later
 * groups come back to this instruction. */
static const struct instruction *run_indirect(struct warp *warp, const struct instruction *at)
{
    const uint64_t *const address = sim_slot(warp, at->a);
    const int first = __builtin_ctz(warp->active);
    const uint64_t wanted = address[first];
    const struct function *const callee = function_at(warp->worker->launch->program, wanted);
    if (!callee)
        sim_fault(warp, at, first, SIM_OUT_OF_BOUNDS, wanted,
                  wanted == 0 ? "call of a function through a null pointer"
                              : "call of a function through a pointer that is no function (0x%llx)",
                  (unsigned long long)wanted);
    uint32_t same = 0;
    EACH_ACTIVE(lane, warp->active)
    if (address[lane] == wanted)
        same |= 1u << lane;
    if (same != warp->active) {
        const struct instruction *const join = at + 1;
        *sim_push_path(warp, at) = (struct path){PATH_JOIN, .since = warp->switches,
                                                 .mask = warp->active, .at = join, .join = join};
        *sim_push_path(warp, at) =
            (struct path){PATH_SIDE, .since = warp->switches, .mask = warp->active & ~same,
                          .at = at, .join = join};
        warp->active = same;
    }
    return enter(warp, at, callee);
}

static const struct instruction *run_system(struct warp *warp, const struct instruction *at)
{
    const struct call_site *const site = at->extra;
    site->system->run(warp, at);
    return at + 1;
}

/* ---- Decoding ---- */

static void place_arguments(struct decoder *decoder, const struct ptx_instruction *source,
                            struct call_site *site)
{
    const struct ptx_operand *const list = sim_operand(decoder, source, 2);
    const struct ptx_operand *const results = sim_operand(decoder, source, 0);
    const size_t bytes = sizeof(int32_t) * (size_t)(list->element_count + 1);
    site->argument_count = list->element_count;
    site->argument_offsets = sim_decoder_allocate(decoder, bytes);
    site->argument_bytes = sim_decoder_allocate(decoder, bytes);
    for (int i = 0; i < list->element_count; i++) {
        const struct ptx_variable *const variable = list->elements[i].variable;
        if (!variable)
            sim_refuse(decoder, source, "a call passes something that is no .param variable");
        site->argument_offsets[i] = sim_local_offset(decoder, source, variable);
        site->argument_bytes[i] = (int32_t)variable->size;
    }
    site->result_offset = -1;
    if (results->element_count == 0)
        return;
    if (results->element_count > 1 || !results->elements[0].variable)
        sim_refuse(decoder, source, "a call returns something that is no .param variable");
    site->result_offset = sim_local_offset(decoder, source, results->elements[0].variable);
    site->result_bytes = (int32_t)results->elements[0].variable->size;
}

/* The function of that name that has a body; NULL: none. */
static const struct function *find_function(struct decoder *decoder, const char *name)
{
    const struct program *const program = sim_decoder_program(decoder);
    for (int i = 0; i < program->function_count; i++)
        if (program->functions[i] && strcmp(program->functions[i]->ptx->name, name) == 0)
            return program->functions[i];
    return NULL;
}

static void check_signature(struct decoder *decoder, const struct ptx_instruction *source,
                            const struct call_site *site)
{
    const struct ptx_function *const callee = site->callee->ptx;
    bool fits = site->argument_count == callee->param_count && !callee->is_entry &&
                site->result_bytes == (callee->return_count ? (int32_t)callee->returns[0].size : 0);
    for (int i = 0; fits && i < callee->param_count; i++)
        fits = site->argument_bytes[i] == (int32_t)callee->params[i].size;
    if (!fits)
        sim_refuse(decoder, source, "the call of %s does not fit its declaration", callee->name);
}

/* A guarded call becomes a branch around it. */
static void emit_guard(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (source->guard < 0)
        return;
    struct instruction *const branch = sim_emit_plain(decoder, source, sim_run_branch);
    branch->flags ^= FLAG_GUARD_NEGATED;
    const int after = sim_index(decoder, source) + 1;
    sim_target_of_last(decoder, after);
    sim_join_of_last(decoder, after);
}

static void decode_call(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *const called = sim_operand(decoder, source, 1);
    struct call_site *const site = sim_decoder_allocate(decoder, sizeof *site);
    int32_t address = 0;
    exec_handler *run = run_call;
    place_arguments(decoder, source, site);
    emit_guard(decoder, source);
    if (called->kind == PTX_OPERAND_FUNCTION) {
        site->callee = find_function(decoder, called->name);
        site->system = site->callee ? NULL : sim_find_system_call(called->name);
        if (!site->callee && !site->system)
            site->system = sim_find_device_call(called->name);
        if (site->callee)
            check_signature(decoder, source, site);
        else if (site->system)
            run = run_system;
        else
            sim_refuse(decoder, source,
                       "the kernel calls %s, which has no body here and is not "
                       "known to the simulator",
                       called->name);
    } else {
        run = run_indirect;
        address = sim_source_slot(decoder, source, called, 'l');
    }
    struct instruction *const call = sim_emit_plain(decoder, source, run);
    call->guard = -1;
    call->a = address;
    call->extra = site;
    call->cache = sim_new_cache(decoder);
}

const struct family sim_call_families[] = {
    {PTX_OP_call, decode_call},
    {PTX_OP_UNKNOWN, NULL},
};
