/* Values of volatile loads are followed through registers, whatever the order of the instructions,
 * until one decides a branch or no new register is found. */
#include "flags.h"

#include <stdlib.h>

/* A load that may read what other threads write meanwhile. */
bool sim_reads_flag(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_LOADS) && ptx_is_strong(source);
}

bool sim_depends(const bool *found, const struct ptx_operand *operand)
{
    if (operand->reg >= 0 &&
        (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS))
        return found[operand->reg];
    for (int i = 0; i < operand->element_count; i++)
        if (sim_depends(found, &operand->elements[i]))
            return true;
    return false;
}

/* Marks the registers that an operand names; true if some register is new. */
bool sim_mark(bool *found, const struct ptx_operand *operand)
{
    bool is_new = false;
    if (operand->kind == PTX_OPERAND_REGISTER && operand->reg >= 0) {
        is_new = !found[operand->reg];
        found[operand->reg] = true;
    }
    for (int i = 0; i < operand->element_count; i++)
        is_new |= sim_mark(found, &operand->elements[i]);
    return is_new;
}

/* One pass over the function; true if some register is new. */
static bool spread(const struct ptx_function *ptx, bool *found)
{
    bool has_grown = false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        bool does = sim_reads_flag(source) || (source->guard >= 0 && found[source->guard]);
        for (int o = 1; o < source->operand_count; o++)
            does = does || sim_depends(found, &source->operands[o]);
        if (does && ptx_writes_result(source))
            has_grown |= sim_mark(found, &source->operands[0]);
    }
    return has_grown;
}

bool sim_is_read(const struct ptx_function *ptx, const struct ptx_operand *result)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool is_used = !found;
    if (found)
        sim_mark(found, result);
    for (int i = 0; i < ptx->instruction_count && !is_used; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        is_used = source->guard >= 0 && found[source->guard];
        for (int o = ptx_first_read(source); o < source->operand_count; o++)
            is_used = is_used || sim_depends(found, &source->operands[o]);
    }
    free(found);
    return is_used;
}

static bool decides(const struct ptx_function *ptx, const struct ptx_instruction *source,
                    const bool *found)
{
    if (ptx_does(source, PTX_UPDATES))
        return source->operand_count > 0 && sim_is_read(ptx, &source->operands[0]);
    return ptx_does(source, PTX_BRANCHES) &&
           ((source->guard >= 0 && found[source->guard]) ||
            (source->operand_count > 0 && sim_depends(found, &source->operands[0])));
}

static bool function_may_wait(const struct ptx_function *ptx)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool may_wait = !found;
    while (found && spread(ptx, found))
        continue;
    for (int i = 0; i < ptx->instruction_count && !may_wait; i++)
        may_wait = decides(ptx, &ptx->instructions[i], found);
    free(found);
    return may_wait;
}

/* The results of called functions are not followed, so a kernel with calls may wait. */
bool sim_may_wait_for_flags(const struct program *program)
{
    return program->has_calls || function_may_wait(program->entry->ptx);
}

/* ---- Looks ---- */

/* A load of a variable in shared memory, which compilers read again after every fence. */
static bool is_variable(const struct ptx_instruction *load)
{
    return ptx_has_part(load, "shared") && load->operand_count > 1 && load->operands[1].reg < 0;
}

/* Whether an instruction does more than wait. A loop with such an instruction is no wait. */
static bool works(const struct ptx_instruction *source)
{
    const unsigned work = PTX_CHANGES_MEMORY | PTX_COPIES | PTX_WAITS | PTX_CALLS | PTX_ENDS;
    if (source->operation == PTX_OP_brx ||
        (ptx_does(source, work) && !ptx_has_part(source, "warp")))
        return true;
    return ptx_does(source, PTX_LOADS) && !sim_reads_flag(source) &&
           !ptx_has_part(source, "param") && !is_variable(source);
}

/* Marks what depends on marked registers in a stretch of code; true if a branch depends on one. */
static bool decides_within(const struct ptx_function *ptx, int first, int last, bool *found)
{
    for (int i = first; i <= last; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        bool does = false;
        if (source->operation == PTX_OP_bra && source->guard >= 0 && found[source->guard])
            return true;
        for (int o = 1; o < source->operand_count; o++)
            does = does || sim_depends(found, &source->operands[o]);
        if (does && ptx_writes_result(source))
            sim_mark(found, &source->operands[0]);
    }
    return false;
}

/* The last instruction of the smallest loop around a read, if the loop does nothing but repeat the
 * read until it gives another value; else -1. */
static int end_of_wait(const struct ptx_function *ptx, int read)
{
    int last = read + 1;
    for (; last < ptx->instruction_count; last++) {
        const struct ptx_instruction *const source = &ptx->instructions[last];
        if (works(source))
            return -1;
        if (ptx_goes_back(source, read))
            break;
    }
    if (last == ptx->instruction_count)
        return -1;
    const int first = ptx->instructions[last].operands[0].target;
    for (int i = first; i < read; i++)
        if (works(&ptx->instructions[i]))
            return -1;
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    if (found)
        sim_mark(found, &ptx->instructions[read].operands[0]);
    const bool does = found && (decides_within(ptx, read + 1, last, found) ||
                                decides_within(ptx, first, read - 1, found));
    free(found);
    return does ? last : -1;
}

static bool is_waited_by(const struct ptx_function *ptx, int read)
{
    return end_of_wait(ptx, read) >= 0;
}

bool sim_is_same_address(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a && b && a->reg == b->reg && a->variable == b->variable && a->offset == b->offset;
}

static bool is_compared(const struct ptx_function *ptx, const struct ptx_operand *result)
{
    for (int i = 0; i < ptx->instruction_count && result->reg >= 0; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if (source->operation != PTX_OP_setp ||
            !(ptx_has_part(source, "eq") || ptx_has_part(source, "ne")))
            continue;
        for (int o = 1; o < source->operand_count; o++)
            if (source->operands[o].reg == result->reg)
                return true;
    }
    return false;
}

/* Whether an operand is a constant of the code, or a register that only holds constants. */
bool sim_is_constant(const struct ptx_function *ptx, const struct ptx_operand *operand)
{
    bool is_set = false;
    for (int i = 0; i < ptx->instruction_count && operand->kind == PTX_OPERAND_REGISTER; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if (!ptx_writes_result(source) || source->operands[0].reg != operand->reg)
            continue;
        if (source->operation != PTX_OP_mov || source->operands[1].kind != PTX_OPERAND_IMMEDIATE)
            return false;
        is_set = true;
    }
    return is_set || operand->kind == PTX_OPERAND_IMMEDIATE;
}

/* A lock swaps constants in. A swap that puts in what a thread has computed, as in a union of sets
 * or in a sum, is no look: it is right whatever else the thread has seen. */
static bool is_atomic_look(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    if (source->update & PTX_SWAPS && source->operand_count > 2 &&
        sim_is_constant(ptx, &source->operands[2]))
        return true;
    return (source->update & PTX_ADDS && is_compared(ptx, &source->operands[0])) ||
           (!(source->update & PTX_COMPARES) &&
            is_waited_by(ptx, (int)(source - ptx->instructions)));
}

bool sim_is_look(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    if (ptx_does(source, PTX_UPDATES))
        return is_atomic_look(ptx, source);
    for (int i = 0; sim_reads_flag(source) && i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const other = &ptx->instructions[i];
        if (sim_reads_flag(other) &&
            sim_is_same_address(&other->operands[1], &source->operands[1]) && is_waited_by(ptx, i))
            return true;
    }
    return false;
}

/* Whether a value, or what is computed from it, is used after the instruction `last`. */
static bool is_used_behind(const struct ptx_function *ptx, int read, int last)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool is_used = false;
    if (found)
        sim_mark(found, &ptx->instructions[read].operands[0]);
    for (int i = read + 1; found && !is_used && i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        bool does = false;
        for (int o = ptx_first_read(source); o < source->operand_count; o++)
            does = does || sim_depends(found, &source->operands[o]);
        is_used = does && i > last;
        if (does && ptx_writes_result(source))
            sim_mark(found, &source->operands[0]);
    }
    free(found);
    return is_used;
}

bool sim_is_read_early(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    const int read = (int)(source - ptx->instructions);
    if (!sim_reads_flag(source) || sim_is_look(ptx, source))
        return false;
    for (int i = read + 1; i < ptx->instruction_count; i++) {
        const int last = sim_reads_flag(&ptx->instructions[i]) ? end_of_wait(ptx, i) : -1;
        if (last >= 0 && is_used_behind(ptx, read, last))
            return true;
    }
    return false;
}

/* ---- What is handed on ---- */

/* Whether a comparison asks whether a compare-and-swap has found what it expects. */
static bool asks_for_success(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    if (source->operation != PTX_OP_setp || source->operand_count < 3 ||
        !(ptx_has_part(source, "eq") || ptx_has_part(source, "ne")))
        return false;
    const int a = source->operands[1].reg, b = source->operands[2].reg;
    for (int i = 0; i < ptx->instruction_count && a >= 0 && b >= 0; i++) {
        const struct ptx_instruction *const swap = &ptx->instructions[i];
        if (!ptx_does(swap, PTX_UPDATES) || !(swap->update & PTX_COMPARES))
            continue;
        const int old = swap->operands[0].reg, expected = swap->operands[2].reg;
        if ((old == a && expected == b) || (old == b && expected == a))
            return true;
    }
    return false;
}

/* Whether an instruction uses a marked value in no way by which a thread would know it. */
static bool only_hands_on(const struct ptx_function *ptx, const struct ptx_instruction *source,
                          const bool *found)
{
    const struct ptx_operand *const address = ptx_address(source);
    if (address && sim_depends(found, address))
        return false;
    if (ptx_does(source, PTX_UPDATES) && source->update & PTX_COMPARES)
        return source->operand_count > 3 && !sim_depends(found, &source->operands[3]);
    return source->operation == PTX_OP_mov || asks_for_success(ptx, source) ||
           (ptx_does(source, PTX_STORES) && ptx_has_part(source, "global"));
}

bool sim_hands_on(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool does = found != NULL, swaps = false,
         has_grown = does && sim_mark(found, &source->operands[0]);
    while (does && has_grown) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count && does; i++) {
            const struct ptx_instruction *const at = &ptx->instructions[i];
            bool uses = false;
            for (int o = ptx_first_read(at); o < at->operand_count; o++)
                uses = uses || sim_depends(found, &at->operands[o]);
            does = !uses || only_hands_on(ptx, at, found);
            swaps = swaps || (uses && at->update & PTX_COMPARES);
            if (uses && at->operation == PTX_OP_mov)
                has_grown |= sim_mark(found, &at->operands[0]);
        }
    }
    free(found);
    return does && swaps;
}
