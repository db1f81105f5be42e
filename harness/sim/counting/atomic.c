/* What ptxas makes of an atomic. If nothing uses its result, it becomes a reduction, which has no
 * result. If all lanes add the same number at one address, one lane adds the sum for all. */
#include "count.h"

static bool mentions(const struct ptx_operand *operand, int reg)
{
    for (int i = 0; i < operand->element_count; i++)
        if (mentions(&operand->elements[i], reg))
            return true;
    return operand->reg == reg;
}

/* Whether only the atomic itself mentions the registers of its result. */
static bool result_is_unused(const struct ptx_function *function,
                             const struct ptx_instruction *source)
{
    const struct ptx_operand *const result = &source->operands[0];
    for (int i = 0; result->reg >= 0 && i < function->instruction_count; i++) {
        const struct ptx_instruction *const other = &function->instructions[i];
        for (int k = other == source ? 1 : 0; k < other->operand_count; k++)
            if (mentions(&other->operands[k], result->reg))
                return false;
    }
    return result->element_count == 0;
}

/* The one instruction that writes a register; NULL: none, or several. */
static const struct ptx_instruction *definition(const struct ptx_function *function, int reg)
{
    const struct ptx_instruction *found = NULL;
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const other = &function->instructions[i];
        if (!ptx_writes_result(other) || !mentions(&other->operands[0], reg))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

/* Whether an address is the same for all lanes: a variable's, or one passed as a parameter. */
static bool is_uniform(const struct ptx_function *function, const struct ptx_operand *address)
{
    const struct ptx_operand *at = address;
    for (int steps = 0; steps < function->instruction_count; steps++) {
        if (at->variable)
            return true;
        const struct ptx_instruction *const from = definition(function, at->reg);
        if (at->reg < 0 || !from || from->operand_count < 2)
            return false;
        if (ptx_does(from, PTX_LOADS) && ptx_has_part(from, "param"))
            return true;
        if (from->operation != PTX_OP_cvta && from->operation != PTX_OP_mov)
            return false;
        at = &from->operands[1];
    }
    return false;
}

static bool adds_one_number(const struct ptx_instruction *source, const struct ptx_operand *value)
{
    return value->kind == PTX_OPERAND_IMMEDIATE && ptx_has_part(source, "add") &&
           (ptx_has_part(source, "u32") || ptx_has_part(source, "s32"));
}

static bool has_any(const struct ptx_instruction *source, const char *const *parts)
{
    for (; *parts; parts++)
        if (ptx_has_part(source, *parts))
            return true;
    return false;
}

/* Shared memory swaps, and does atomics on 32-bit integers. Others become loops around a swap. */
static bool is_shared_loop(const struct ptx_instruction *source, bool is_float)
{
    static const char *const long_types[] = {"b64", "u64", "s64", NULL};
    const bool is_swapped = source->update & PTX_SWAPS;
    return is_float || (has_any(source, long_types) && !is_swapped);
}

void sim_count_plan_atomic(struct access_plan *plan, const struct ptx_function *function)
{
    const struct ptx_instruction *const source = plan->source;
    const int address = plan->kind == COUNTED_ATOMIC ? 1 : 0;
    if (plan->kind != COUNTED_ATOMIC && plan->kind != COUNTED_REDUCTION)
        return;
    plan->is_swap = source->update & PTX_COMPARES;
    plan->is_elected = source->operand_count > address + 1 &&
                       adds_one_number(source, &source->operands[address + 1]) &&
                       is_uniform(function, &source->operands[address]);
    if (plan->kind == COUNTED_ATOMIC && !plan->is_swap && !(source->update & PTX_EXCHANGES) &&
        result_is_unused(function, source))
        plan->kind = COUNTED_REDUCTION;
    static const char *const floats[] = {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64", NULL};
    plan->is_float = has_any(source, floats);
    plan->is_loop = is_shared_loop(source, plan->is_float);
    plan->is_increment = plan->kind == COUNTED_REDUCTION && source->operand_count > address + 1 &&
                         adds_one_number(source, &source->operands[address + 1]) &&
                         source->operands[address + 1].imm == 1;
}
