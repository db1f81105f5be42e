/* Reachable functions of a kernel; the layout of local frames, shared memory and call stacks. */
#include "decode.h"

#include "sim/ptx/arena.h"

#include <string.h>

enum {
    LOCAL_ALIGNMENT = 16,
    DYNAMIC_ALIGNMENT = 16,
    /* What a thread gets if the depth of its calls is not known beforehand. */
    RECURSION_LOCAL_BYTES = 64 << 10,
    RECURSION_FRAME_BYTES = 8 << 20
};

static size_t round_up(size_t value, size_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

uint64_t sim_function_address(const struct ptx_module *module, const struct ptx_function *function)
{
    return FUNCTION_WINDOW + (uint64_t)(function - module->functions + 1) * FUNCTION_STRIDE;
}

/* ---- Reachable functions ---- */

/* The body that goes with a declaration, or NULL. */
static const struct ptx_function *definition(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++)
        if (module->functions[i].has_body && strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

/* The name of the function that a call names; NULL: the call goes through an address. */
static const char *called_name(const struct ptx_instruction *source)
{
    const struct ptx_operand *const called = &source->operands[1];
    return called->kind == PTX_OPERAND_FUNCTION ? called->name : NULL;
}

static bool reach(struct program *program, const struct ptx_module *module,
                  const struct ptx_function *ptx);

/* What the device's runtime gives the program's kernels (libcudadevrt) the simulator does itself;
 * and a kernel is not called, but launched. */
static bool reach_name(struct program *program, const struct ptx_module *module, const char *name)
{
    const struct ptx_function *const ptx = definition(module, name);
    const bool is_runtime = strncmp(name, "__cudaCDP2", strlen("__cudaCDP2")) == 0 ||
                            strcmp(name, "cudaGraphSetConditional") == 0;
    return !ptx || ptx->is_entry || is_runtime || reach(program, module, ptx);
}

/* Reaches every function whose address is stored or moved somewhere in the module. */
static bool reach_addressed(struct program *program, const struct ptx_module *module)
{
    bool fits = true;
    for (int v = 0; v < module->variable_count; v++)
        for (int r = 0; r < module->variables[v].relocation_count; r++)
            fits = fits && reach_name(program, module, module->variables[v].relocations[r].symbol);
    for (int f = 0; f < module->function_count; f++) {
        for (int i = 0; i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *const source = &module->functions[f].instructions[i];
            for (int k = 0; !ptx_does(source, PTX_CALLS) && k < source->operand_count; k++)
                if (source->operands[k].kind == PTX_OPERAND_FUNCTION)
                    fits = fits && reach_name(program, module, source->operands[k].name);
        }
    }
    return fits;
}

static bool lay_out_locals(struct program *program, struct function *function)
{
    const struct ptx_function *const ptx = function->ptx;
    function->variable_offsets =
        ptx_arena_allocate(program->arena, sizeof(int32_t) * (size_t)(ptx->variable_count + 1));
    function->param_offsets =
        ptx_arena_allocate(program->arena, sizeof(int32_t) * (size_t)(ptx->param_count + 1));
    function->return_offsets =
        ptx_arena_allocate(program->arena, sizeof(int32_t) * (size_t)(ptx->return_count + 1));
    if (!function->variable_offsets || !function->param_offsets || !function->return_offsets)
        return false;
    /* Parameters are copied in slots of 4 bytes a lane, so no two may share such a slot. */
    size_t scale = 1;
    for (int i = 0; i < ptx->variable_count; i++)
        if (ptx->variables[i].space == PTX_PARAM && ptx->variables[i].offset % 4 != 0)
            scale = 4;
    const size_t calls_at = round_up(ptx->local_bytes, LOCAL_ALIGNMENT);
    size_t bytes = calls_at + scale * round_up(ptx->callparam_bytes, LOCAL_ALIGNMENT);
    for (int i = 0; i < ptx->variable_count; i++) {
        const struct ptx_variable *const variable = &ptx->variables[i];
        const bool is_param = variable->space == PTX_PARAM;
        function->variable_offsets[i] =
            (int32_t)(is_param ? calls_at + scale * variable->offset : variable->offset);
    }
    for (int i = 0; i < ptx->param_count; i++) {
        function->param_offsets[i] = (int32_t)ptx->params[i].offset;
        if (ptx->is_entry)
            continue;
        bytes = round_up(bytes, LOCAL_ALIGNMENT);
        function->param_offsets[i] = (int32_t)bytes;
        bytes += ptx->params[i].size;
    }
    for (int i = 0; i < ptx->return_count; i++) {
        bytes = round_up(bytes, LOCAL_ALIGNMENT);
        function->return_offsets[i] = (int32_t)bytes;
        bytes += ptx->returns[i].size;
    }
    function->local_bytes = round_up(bytes, LOCAL_ALIGNMENT);
    /* Its own arrays, the return address and one saved register, if nothing better is known. */
    function->stack_bytes = (uint32_t)function->ptx->local_bytes + 16;
    return true;
}

static bool reach(struct program *program, const struct ptx_module *module,
                  const struct ptx_function *ptx)
{
    const ptrdiff_t index = ptx - module->functions;
    if (program->functions[index])
        return true;
    struct function *const function = ptx_arena_allocate(program->arena, sizeof *function);
    if (!function)
        return false;
    program->functions[index] = function;
    function->ptx = ptx;
    if (!lay_out_locals(program, function))
        return false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if (!ptx_does(source, PTX_CALLS))
            continue;
        const char *const name = called_name(source);
        if (!name)
            program->has_calls = program->may_recurse = true;
        if (name ? !reach_name(program, module, name) : !reach_addressed(program, module))
            return false;
    }
    return true;
}

/* ---- Shared memory ---- */

static bool place_shared(struct program *program, const struct ptx_variable *variable,
                         uint32_t offset)
{
    enum { STEP = 32 };
    if (program->shared_count % STEP == 0) {
        struct shared_variable *const larger = ptx_arena_allocate(
            program->arena, sizeof *larger * (size_t)(program->shared_count + STEP));
        if (!larger)
            return false;
        if (program->shared_count)
            memcpy(larger, program->shared, sizeof *larger * (size_t)program->shared_count);
        program->shared = larger;
    }
    program->shared[program->shared_count++] = (struct shared_variable){variable, offset};
    return true;
}

static bool is_placed(const struct program *program, const struct ptx_variable *variable)
{
    for (int i = 0; i < program->shared_count; i++)
        if (program->shared[i].ptx == variable)
            return true;
    return false;
}

/* Variables of the module and of called functions are placed behind the entry's variables. */
static bool place_used(struct program *program, const struct ptx_operand *operand, size_t *align)
{
    for (int i = 0; i < operand->element_count; i++)
        if (!place_used(program, &operand->elements[i], align))
            return false;
    const struct ptx_variable *const variable = operand->variable;
    if (!variable || variable->space != PTX_SHARED || is_placed(program, variable))
        return true;
    if (variable->size == 0) {
        if (variable->align > *align)
            *align = variable->align;
        return true;
    }
    program->shared_bytes = round_up(program->shared_bytes, variable->align);
    if (!place_shared(program, variable, (uint32_t)program->shared_bytes))
        return false;
    program->shared_bytes += variable->size;
    return true;
}

static bool lay_out_shared(struct program *program)
{
    size_t align = DYNAMIC_ALIGNMENT;
    const struct ptx_function *const entry = program->entry->ptx;
    for (int i = 0; i < entry->variable_count; i++)
        if (entry->variables[i].space == PTX_SHARED && entry->variables[i].size > 0 &&
            !place_shared(program, &entry->variables[i], (uint32_t)entry->variables[i].offset))
            return false;
    program->shared_bytes = entry->shared_bytes;
    for (int f = 0; f < program->function_count; f++) {
        const struct ptx_function *const ptx =
            program->functions[f] ? program->functions[f]->ptx : NULL;
        for (int i = 0; ptx && i < ptx->instruction_count; i++)
            for (int k = 0; k < ptx->instructions[i].operand_count; k++)
                if (!place_used(program, &ptx->instructions[i].operands[k], &align))
                    return false;
    }
    program->dynamic_shared = (uint32_t)round_up(program->shared_bytes, align);
    return true;
}

struct program *sim_lay_out(const struct sim_module *module, const struct ptx_function *entry)
{
    struct ptx_arena *const arena = ptx_arena_create();
    struct program *const program = arena ? ptx_arena_allocate(arena, sizeof *program) : NULL;
    if (program) {
        program->arena = arena;
        program->function_count = module->ptx->function_count;
        program->param_bytes = entry->param_bytes;
        program->cache_count = 1; /* numbers begin at 1, because 0 means no instruction */
        program->functions =
            ptx_arena_allocate(arena, sizeof *program->functions * (size_t)program->function_count);
        if (program->functions && reach(program, module->ptx, entry)) {
            program->entry = program->functions[entry - module->ptx->functions];
            if (lay_out_shared(program))
                return program;
        }
    }
    ptx_arena_destroy(arena);
    return NULL;
}

/* ---- Stacks ---- */

struct depth {
    size_t frame, local, declared;
};

/* The bytes that the deepest chain of calls from a function needs; `on_path` marks its callers. */
static struct depth deepest(struct program *program, const struct function *function, bool *on_path)
{
    int own = 0;
    while (program->functions[own] != function)
        own++;
    if (on_path[own])
        program->may_recurse = true;
    if (program->may_recurse)
        return (struct depth){0};
    on_path[own] = true;
    struct depth most = {0};
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const callee = program->functions[f];
        bool is_called = false;
        for (int i = 0; callee && i < function->ptx->instruction_count && !is_called; i++) {
            const struct ptx_instruction *const source = &function->ptx->instructions[i];
            const char *const name = ptx_does(source, PTX_CALLS) ? called_name(source) : NULL;
            is_called = name && strcmp(name, callee->ptx->name) == 0;
        }
        if (!is_called)
            continue;
        program->has_calls = true;
        const struct depth below = deepest(program, callee, on_path);
        most.frame = below.frame > most.frame ? below.frame : most.frame;
        most.local = below.local > most.local ? below.local : most.local;
        most.declared = below.declared > most.declared ? below.declared : most.declared;
    }
    on_path[own] = false;
    return (struct depth){most.frame + function->frame_bytes, most.local + function->local_bytes,
                          most.declared + function->ptx->local_bytes};
}

void sim_lay_out_stack(struct program *program)
{
    bool *const on_path = ptx_arena_allocate(program->arena, (size_t)program->function_count);
    struct depth needed = {0};
    if (on_path)
        needed = deepest(program, program->entry, on_path);
    else
        program->may_recurse = true;
    if (program->may_recurse) {
        needed.frame = program->entry->frame_bytes + RECURSION_FRAME_BYTES;
        needed.local = program->entry->local_bytes + RECURSION_LOCAL_BYTES;
        needed.declared = program->entry->ptx->local_bytes;
    }
    program->stack_frame_bytes = needed.frame;
    program->stack_local_bytes = needed.local;
    program->declared_local_bytes = needed.declared;
}
