/* Runs of instructions that are executed as a whole, and from where a barrier can be reached. Where
 * paths meet is the parser's finding. */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

static bool is_opcode(const struct ptx_instruction *source, const char *name)
{
    return strcmp(source->parts[0], name) == 0;
}

static bool ends_thread(const struct ptx_instruction *source)
{
    return is_opcode(source, "ret") || is_opcode(source, "exit") || is_opcode(source, "trap");
}

static bool is_branch(const struct ptx_instruction *source)
{
    return is_opcode(source, "bra") || is_opcode(source, "brx");
}

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
        if (is_branch(source) && source->reconvergence < flow->count)
            flow->join[i] = source->reconvergence;
        if (is_branch(source) || ends_thread(source) || is_opcode(source, "call"))
            flow->leads[i + 1] = true;
        /* Lanes that do not call, or call another function, wait behind the call. */
        if (is_opcode(source, "call") &&
            (source->guard >= 0 || source->operands[1].kind != PTX_OPERAND_FUNCTION))
            flow->joins[i + 1] = true;
    }
}

static bool waits(const struct ptx_instruction *source)
{
    return is_opcode(source, "bar") || is_opcode(source, "barrier") || is_opcode(source, "call");
}

/* Whether a barrier lies in the run that starts at a leader, or behind it as far as is known. */
static bool finds_barrier(const struct flow *flow, const struct ptx_function *function, int leader)
{
    int i = leader;
    do {
        if (waits(&function->instructions[i]))
            return true;
        i++;
    } while (i < flow->count && !flow->leads[i]);
    const struct ptx_instruction *const last = &function->instructions[i - 1];
    const bool ends = last->guard < 0 && (is_branch(last) || ends_thread(last));
    if (!ends && i < flow->count && flow->meets_barrier[i])
        return true;
    const int count = is_branch(last) ? sim_branch_targets(last, NULL, 0) : 0;
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
