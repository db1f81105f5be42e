/* The control-flow graph: where basic blocks start, and which blocks may follow a block. */
#include "sim/ptx/analysis.h"

/* Calls `visit` for each label that a branch names. */
static void visit_targets(const struct ptx_operand *operands, int count,
                          void (*visit)(void *context, int target), void *context)
{
    for (int i = 0; i < count; i++) {
        if (operands[i].kind == PTX_OPERAND_LABEL)
            visit(context, operands[i].target);
        else if (operands[i].kind == PTX_OPERAND_VECTOR)
            visit_targets(operands[i].elements, operands[i].element_count, visit, context);
    }
}

static void start_block(void *context, int target)
{
    struct ptx_function *function = context;

    function->instructions[target].is_block_start = true;
}

static void mark_block_starts(struct ptx_function *function)
{
    int count = function->instruction_count;

    function->instructions[0].is_block_start = true;
    for (int i = 0; i < count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];

        if (ptx_does(instruction, PTX_BRANCHES))
            visit_targets(instruction->operands, instruction->operand_count, start_block, function);
        if (ptx_does(instruction, PTX_LEAVES) && i + 1 < count)
            function->instructions[i + 1].is_block_start = true;
    }
}

static void number_blocks(struct ptx_analysis *analysis)
{
    struct ptx_flow *flow = &analysis->flow;
    int count = analysis->function->instruction_count;

    flow->block_of = ptx_analysis_array(analysis, (size_t)count, sizeof(int));
    for (int i = 0; i < count; i++) {
        flow->block_count += analysis->function->instructions[i].is_block_start;
        flow->block_of[i] = flow->block_count - 1;
    }
    flow->first = ptx_analysis_array(analysis, (size_t)flow->block_count + 1, sizeof(int));
    for (int i = count; i-- > 0;)
        flow->first[flow->block_of[i]] = i;
    flow->first[flow->block_count] = count;
}

/* Edges go into compact arrays, in two passes: count them, then store them. */
struct edge_pass {
    struct ptx_flow *flow;
    int from;
    int *count; /* edges so far */
    bool store;
};

static void add_edge(void *context, int target)
{
    struct edge_pass *pass = context;

    if (pass->store)
        pass->flow->next[*pass->count] = pass->flow->block_of[target];
    ++*pass->count;
}

static int pass_over_edges(struct ptx_analysis *analysis, bool store)
{
    struct ptx_flow *flow = &analysis->flow;
    int count = 0;
    struct edge_pass pass = {.flow = flow, .count = &count, .store = store};

    for (int block = 0; block < flow->block_count; block++) {
        int last = flow->first[block + 1] - 1;
        const struct ptx_instruction *instruction = &analysis->function->instructions[last];

        pass.from = block;
        flow->next_start[block] = count;
        if (ptx_does(instruction, PTX_BRANCHES))
            visit_targets(instruction->operands, instruction->operand_count, add_edge, &pass);
        /* A function's last instruction never falls through; see ptx_function.instructions. */
        if (ptx_falls_through(instruction))
            add_edge(&pass, last + 1);
    }
    flow->next_start[flow->block_count] = count;
    return count;
}

static void reverse_edges(struct ptx_analysis *analysis, int edge_count)
{
    struct ptx_flow *flow = &analysis->flow;
    int *start = ptx_analysis_array(analysis, (size_t)flow->block_count + 2, sizeof(int));

    flow->previous = ptx_analysis_array(analysis, (size_t)edge_count + 1, sizeof(int));
    for (int edge = 0; edge < edge_count; edge++)
        start[flow->next[edge] + 2]++;
    for (int block = 0; block < flow->block_count; block++)
        start[block + 2] += start[block + 1];
    for (int block = 0; block < flow->block_count; block++)
        for (int edge = flow->next_start[block]; edge < flow->next_start[block + 1]; edge++)
            flow->previous[start[flow->next[edge] + 1]++] = block;
    flow->previous_start = start; /* the loop has moved start[b + 1] to where the block b ends */
}

void ptx_find_blocks(struct ptx_analysis *analysis)
{
    struct ptx_flow *flow = &analysis->flow;

    mark_block_starts(analysis->function);
    number_blocks(analysis);
    flow->next_start = ptx_analysis_array(analysis, (size_t)flow->block_count + 1, sizeof(int));
    int edge_count = pass_over_edges(analysis, false);
    flow->next = ptx_analysis_array(analysis, (size_t)edge_count + 1, sizeof(int));
    pass_over_edges(analysis, true);
    reverse_edges(analysis, edge_count);
}
