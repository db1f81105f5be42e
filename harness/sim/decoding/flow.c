/* Finds runs of instructions that are executed as a whole, and from where code can reach a barrier.
 * The parser has found where paths meet. */
#include "decoder.h"

#include <stdlib.h>

int sim_branch_targets(const struct ptx_instruction *source, int *targets, int capacity)
{
    int count = 0;
    for (int i = 0; i < source->operand_count; i++) {
        const struct ptx_operand *const operand = &source->operands[i];
        if (operand->kind == PTX_OPERAND_LABEL) {
            if (count < capacity)
                targets[count] = operand->target;
            count++;
        }
        for (int k = 0; operand->kind == PTX_OPERAND_VECTOR && k < operand->element_count; k++) {
            if (operand->elements[k].kind != PTX_OPERAND_LABEL)
                continue;
            if (count < capacity)
                targets[count] = operand->elements[k].target;
            count++;
        }
    }
    return count;
}

static void mark_leaders(struct flow *flow, const struct ptx_function *function)
{
    flow->leads[0] = true;
    for (int i = 0; i < flow->count; i++) {
        const struct ptx_instruction *const source = &function->instructions[i];
        flow->leads[i] |= source->is_block_start;
        flow->joins[i] |= source->is_join;
        if (ptx_does(source, PTX_BRANCHES) && source->reconvergence < flow->count)
            flow->join[i] = source->reconvergence;
        if (ptx_does(source, PTX_LEAVES | PTX_CALLS))
            flow->leads[i + 1] = true;
        /* Lanes that do not call, or that call another function, wait after the call. */
        if (ptx_does(source, PTX_CALLS) &&
            (source->guard >= 0 || source->operands[1].kind != PTX_OPERAND_FUNCTION))
            flow->joins[i + 1] = true;
    }
}

/* Whether a barrier is in the run that starts at a leader, or in code known to follow the run. */
static bool finds_barrier(const struct flow *flow, const struct ptx_function *function, int leader)
{
    int i = leader;
    do {
        if (ptx_does(&function->instructions[i], PTX_WAITS | PTX_CALLS))
            return true;
        i++;
    } while (i < flow->count && !flow->leads[i]);
    const struct ptx_instruction *const last = &function->instructions[i - 1];
    if (ptx_falls_through(last) && i < flow->count && flow->meets_barrier[i])
        return true;
    const int count = ptx_does(last, PTX_BRANCHES) ? sim_branch_targets(last, NULL, 0) : 0;
    int targets[count > 0 ? count : 1];
    sim_branch_targets(last, targets, count);
    for (int k = 0; k < count; k++)
        if (flow->meets_barrier[targets[k]])
            return true;
    return false;
}

static void mark_barriers(struct flow *flow, const struct ptx_function *function)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = flow->count - 1; i >= 0; i--)
            if (flow->leads[i] && !flow->meets_barrier[i] && finds_barrier(flow, function, i))
                flow->meets_barrier[i] = changed = true;
    }
}

bool sim_flow_analyse(struct flow *flow, const struct ptx_function *function)
{
    const size_t size = (size_t)function->instruction_count + 1;
    *flow = (struct flow){.count = function->instruction_count};
    flow->leads = calloc(size, sizeof *flow->leads);
    flow->joins = calloc(size, sizeof *flow->joins);
    flow->join = calloc(size, sizeof *flow->join);
    flow->meets_barrier = calloc(size, sizeof *flow->meets_barrier);
    if (!flow->leads || !flow->joins || !flow->join || !flow->meets_barrier)
        return false;
    for (size_t i = 0; i < size; i++)
        flow->join[i] = -1;
    if (flow->count == 0)
        return true;
    mark_leaders(flow, function);
    mark_barriers(flow, function);
    return true;
}

void sim_flow_free(struct flow *flow)
{
    free(flow->leads);
    free(flow->joins);
    free(flow->join);
    free(flow->meets_barrier);
    *flow = (struct flow){0};
}
