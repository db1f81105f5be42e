/* Finds causes of races in the code: lost updates, waits that compilers take out of their loop, and
 * barriers that some warps pass more often than others. Called only to report a fault. */
#include "cause.h"

#include "sim/decoding/flags.h"
#include "sim/memory/names.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Updates ---- */

static bool is_load(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_LOADS) && source->operand_count > 1;
}

static bool is_store(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_STORES) && source->operand_count > 0;
}

/* Whether the stored value was computed from the loaded one, in the instructions between the
 * two. */
static bool depends(const struct ptx_function *function, const struct ptx_instruction *store,
                    const struct ptx_instruction *load)
{
    const struct ptx_instruction *const end = function->instructions + function->instruction_count;
    bool *const marked = calloc((size_t)function->register_count + 1, sizeof *marked);
    const bool is_here = load >= function->instructions && store < end && load < store;
    if (marked && is_here && load->operands[0].reg >= 0)
        marked[load->operands[0].reg] = true;
    for (const struct ptx_instruction *at = load + 1; marked && is_here && at < store; at++) {
        bool found = false;
        for (int i = 1; i < at->operand_count; i++)
            found = found || sim_depends(marked, &at->operands[i]);
        if (found && ptx_writes_result(at) && at->operands[0].kind == PTX_OPERAND_REGISTER)
            marked[at->operands[0].reg] = true;
    }
    const bool found = marked && is_here && sim_depends(marked, &store->operands[1]);
    free(marked);
    return found;
}

bool sim_is_update(const struct warp *warp, const struct instruction *at, uint32_t place)
{
    const struct ptx_instruction *const one = sim_source(warp, at);
    const struct ptx_instruction *const other =
        sim_find_place(warp->worker->launch->program, place);
    const struct ptx_instruction *const load = other && is_load(other) ? other : one;
    const struct ptx_instruction *const store = load == other ? one : other;
    return store && is_load(load) && is_store(store) && load->line == store->line &&
           sim_is_same_address(&load->operands[1], &store->operands[0]) &&
           depends(warp->function->ptx, store, load);
}

bool sim_is_by_value(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_function *const function = warp->function->ptx;
    const struct ptx_instruction *const access = sim_source(warp, at);
    const struct ptx_operand *const address = &access->operands[is_load(access) ? 1 : 0];
    bool *const marked = calloc((size_t)function->register_count + 1, sizeof *marked);
    for (const struct ptx_instruction *i = function->instructions; marked && i < access; i++) {
        bool found = is_load(i) && !ptx_has_part(i, "param");
        for (int operand = 1; operand < i->operand_count; operand++)
            found = found || sim_depends(marked, &i->operands[operand]);
        if (found && ptx_writes_result(i) && i->operands[0].kind == PTX_OPERAND_REGISTER)
            marked[i->operands[0].reg] = true;
    }
    const bool found = marked && sim_depends(marked, address);
    free(marked);
    return found;
}

bool sim_is_one_statement(const struct warp *warp, const struct instruction *at, uint32_t place)
{
    const struct ptx_instruction *const one = sim_source(warp, at);
    const struct ptx_instruction *const other =
        sim_find_place(warp->worker->launch->program, place);
    return other && one->line > 0 && one->line == other->line && one->file == other->file &&
           one->call_line == other->call_line &&
           ((is_load(one) && is_store(other)) || (is_store(one) && is_load(other)));
}

bool sim_is_copy(const struct warp *warp, uint32_t place)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, place);
    return source && ptx_does(source, PTX_COPIES);
}

/* ---- Loops that access nothing ---- */

static bool closes_empty_loop(const struct ptx_function *function, int last)
{
    const unsigned changes = PTX_LOADS | PTX_CHANGES_MEMORY | PTX_COPIES | PTX_WAITS | PTX_MEETS;
    const struct ptx_instruction *const branch = &function->instructions[last];
    if (branch->guard >= 0 || !ptx_goes_back(branch, last))
        return false;
    for (int i = branch->operands[0].target; i < last; i++)
        if (ptx_does(&function->instructions[i], changes | PTX_CALLS | PTX_LEAVES))
            return false;
    return true;
}

bool sim_waits_for_plain(const struct warp *warp, const struct instruction *at, uint32_t place)
{
    const struct ptx_function *const function = warp->function->ptx;
    const struct ptx_instruction *read = sim_source(warp, at);
    if (!is_load(read))
        read = sim_find_place(warp->worker->launch->program, place);
    if (!read || !is_load(read) || ptx_is_strong(read))
        return false;
    for (int i = 0; i < function->instruction_count; i++)
        if (closes_empty_loop(function, i))
            return true;
    return false;
}

bool sim_is_in_empty_loop(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_function *const function = warp->function->ptx;
    const int source = (int)(sim_source(warp, at) - function->instructions);
    for (int i = source; i < function->instruction_count; i++)
        if (closes_empty_loop(function, i))
            return function->instructions[i].operands[0].target <= source;
    return false;
}

bool sim_waits_for_flag(const struct warp *warp)
{
    const struct ptx_function *const function = warp->function->ptx;
    int last = -1; /* the last load that may wait for another thread, with no barrier since */
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        if (ptx_does(at, PTX_LOADS) && ptx_has_part(at, "volatile"))
            last = i;
        else if (ptx_does(at, PTX_WAITS))
            last = -1;
        else if (last >= 0 && ptx_goes_back(at, last) && i - at->operands[0].target < 8)
            return true; /* a loop that does little else */
    }
    return false;
}

/* ---- Order between blocks ---- */

bool sim_sleeps(const struct warp *warp)
{
    const struct ptx_function *const function = warp->function->ptx;
    for (int i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].operation == PTX_OP_nanosleep)
            return true;
    return false;
}

bool sim_has_block_scope(const struct warp *warp)
{
    const struct ptx_function *const function = warp->function->ptx;
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        if (ptx_has_part(at, "cta") && !ptx_does(at, PTX_WAITS | PTX_FENCES))
            return true;
    }
    return false;
}

/* ---- Barriers ---- */

bool sim_say_unlike_barriers(const struct warp *warp, char *text, size_t size)
{
    const struct ptx_instruction *const one = warp->block->unlike[0];
    const struct ptx_instruction *const other = warp->block->unlike[1];
    if (!one || one->line == other->line)
        return false;
    snprintf(text, size,
             "before, some warps of the block were at the __syncthreads() of line %d while others "
             "were at that of line %d, and these let each other go on: every thread must come to "
             "the same ones as often, so that none may stand in a branch or loop that only some of "
             "them take",
             one->line, other->line);
    return true;
}
