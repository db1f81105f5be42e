/* Basic blocks, post-dominators and reachable barriers of a function, on the graph without the
 * edges into blocks that only end the thread. */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

struct node {
    int first, end; /* instructions [first, end) */
    int successors[2], successor_count;
    int *many; /* of brx, instead of successors */
    bool pruned[2];
    bool reaches_end;
    int post_order, dominator;
};

struct graph {
    struct node *nodes;
    int count;
    int *node_of; /* by instruction, plus one for the end */
    int *order, order_count;
};

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
        if (is_branch(source) || ends_thread(source) || is_opcode(source, "call"))
            flow->leads[i + 1] = true;
        /* Lanes that do not call, or call another function, wait behind the call. */
        if (is_opcode(source, "call") &&
            (source->guard >= 0 || source->operands[1].kind != PTX_OPERAND_FUNCTION))
            flow->joins[i + 1] = true;
        if (!is_branch(source))
            continue;
        const int count = sim_branch_targets(source, NULL, 0);
        int targets[count > 0 ? count : 1];
        sim_branch_targets(source, targets, count);
        for (int k = 0; k < count; k++)
            flow->leads[targets[k]] = true;
    }
}

static void set_successors(struct graph *graph, struct node *node,
                           const struct ptx_function *function)
{
    const struct ptx_instruction *const last = &function->instructions[node->end - 1];
    const bool always = last->guard < 0;
    if (is_opcode(last, "brx")) {
        const int count = sim_branch_targets(last, NULL, 0);
        node->many = calloc((size_t)count + 1, sizeof *node->many);
        if (!node->many)
            return;
        node->successor_count = sim_branch_targets(last, node->many, count);
        if (!always)
            node->many[node->successor_count++] = node->end;
        int kept = 0;
        for (int k = 0; k < node->successor_count; k++)
            if (graph->node_of[node->many[k]] >= 0)
                node->many[kept++] = graph->node_of[node->many[k]];
        node->successor_count = kept;
        return;
    }
    int target = node->end;
    if (is_opcode(last, "bra") && sim_branch_targets(last, &target, 1) > 0 &&
        graph->node_of[target] >= 0)
        node->successors[node->successor_count++] = graph->node_of[target];
    const bool falls_through = !always || !(is_opcode(last, "bra") || ends_thread(last));
    if (falls_through && graph->node_of[node->end] >= 0)
        node->successors[node->successor_count++] = graph->node_of[node->end];
}

static int successor(const struct node *node, int k)
{
    return node->many ? node->many[k] : node->successors[k];
}

static bool is_kept(const struct node *node, int k)
{
    return node->many || !node->pruned[k];
}

/* Cuts edges of conditional branches into blocks that only end the thread. */
static void prune(struct graph *graph, const struct ptx_function *function)
{
    for (int n = 0; n < graph->count; n++) {
        struct node *const node = &graph->nodes[n];
        if (node->many || node->successor_count != 2)
            continue;
        for (int k = 0; k < 2; k++) {
            const struct node *target = &graph->nodes[node->successors[k]];
            const struct ptx_instruction *const first = &function->instructions[target->first];
            node->pruned[k] = ends_thread(first) && first->guard < 0;
        }
        if (node->pruned[0] && node->pruned[1])
            node->pruned[0] = node->pruned[1] = false;
    }
}

static bool is_terminal(const struct node *node)
{
    for (int k = 0; k < node->successor_count; k++)
        if (is_kept(node, k))
            return false;
    return true;
}

/* Marks what can come to the end; true if it is everything. */
static bool mark_reaching(struct graph *graph)
{
    for (int n = 0; n < graph->count; n++)
        graph->nodes[n].reaches_end = is_terminal(&graph->nodes[n]);
    bool changed = true, all = true;
    while (changed) {
        changed = false;
        for (int n = graph->count - 1; n >= 0; n--) {
            struct node *const node = &graph->nodes[n];
            for (int k = 0; k < node->successor_count && !node->reaches_end; k++)
                if (is_kept(node, k) && graph->nodes[successor(node, k)].reaches_end)
                    node->reaches_end = changed = true;
        }
    }
    for (int n = 0; n < graph->count; n++)
        all = all && graph->nodes[n].reaches_end;
    return all;
}

/* A loop that only ends by ending the thread keeps the edges that were cut. */
static void restore_needed(struct graph *graph)
{
    if (mark_reaching(graph))
        return;
    for (int n = 0; n < graph->count; n++) {
        struct node *const node = &graph->nodes[n];
        if (!node->reaches_end)
            node->pruned[0] = node->pruned[1] = false;
    }
    mark_reaching(graph);
}

/* Numbers the nodes in post-order of the reversed graph, from the virtual end (graph->count). */
static void number(struct graph *graph)
{
    const int end = graph->count;
    int *const stack = calloc((size_t)end + 1, sizeof *stack);
    int *const position = calloc((size_t)end + 1, sizeof *position);
    graph->order_count = 0;
    if (stack && position) {
        /* Predecessors are found by scanning: functions have few hundred blocks. */
        int depth = 0;
        stack[depth++] = end;
        graph->nodes[end].post_order = -2;
        while (depth > 0) {
            const int top = stack[depth - 1];
            bool pushed = false;
            while (position[top] < end && !pushed) {
                const int from = position[top]++;
                struct node *const node = &graph->nodes[from];
                if (node->post_order != -1)
                    continue;
                bool leads_here = top == end && is_terminal(node);
                for (int k = 0; k < node->successor_count && !leads_here; k++)
                    leads_here = is_kept(node, k) && successor(node, k) == top;
                if (leads_here) {
                    node->post_order = -2;
                    stack[depth++] = from;
                    pushed = true;
                }
            }
            if (!pushed) {
                graph->nodes[top].post_order = graph->order_count;
                graph->order[graph->order_count++] = top;
                depth--;
            }
        }
    }
    free(stack);
    free(position);
}

static int meet(const struct graph *graph, int a, int b)
{
    while (a != b) {
        while (graph->nodes[a].post_order < graph->nodes[b].post_order)
            a = graph->nodes[a].dominator;
        while (graph->nodes[b].post_order < graph->nodes[a].post_order)
            b = graph->nodes[b].dominator;
    }
    return a;
}

/* Immediate post-dominators by iteration (Cooper, Harvey, Kennedy). */
static void find_dominators(struct graph *graph)
{
    const int end = graph->count;
    for (int n = 0; n <= end; n++) {
        graph->nodes[n].post_order = -1;
        graph->nodes[n].dominator = -1;
    }
    number(graph);
    graph->nodes[end].dominator = end;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = graph->order_count - 1; i >= 0; i--) {
            const int n = graph->order[i];
            struct node *const node = &graph->nodes[n];
            if (n == end)
                continue;
            int dominator = is_terminal(node) ? end : -1;
            for (int k = 0; k < node->successor_count; k++) {
                const int to = successor(node, k);
                if (!is_kept(node, k) || graph->nodes[to].dominator < 0)
                    continue;
                dominator = dominator < 0 ? to : meet(graph, dominator, to);
            }
            if (dominator != node->dominator && dominator >= 0) {
                node->dominator = dominator;
                changed = true;
            }
        }
    }
}

static bool waits(const struct ptx_instruction *source)
{
    return is_opcode(source, "bar") || is_opcode(source, "barrier") || is_opcode(source, "call");
}

static void mark_barriers(struct flow *flow, const struct graph *graph,
                          const struct ptx_function *function)
{
    for (int n = 0; n < graph->count; n++)
        for (int i = graph->nodes[n].first; i < graph->nodes[n].end; i++)
            if (waits(&function->instructions[i]))
                flow->meets_barrier[graph->nodes[n].first] = true;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int n = graph->count - 1; n >= 0; n--) {
            const struct node *const node = &graph->nodes[n];
            for (int k = 0; k < node->successor_count && !flow->meets_barrier[node->first]; k++)
                if (flow->meets_barrier[graph->nodes[successor(node, k)].first])
                    flow->meets_barrier[node->first] = changed = true;
        }
    }
}

static void set_joins(struct flow *flow, const struct graph *graph,
                      const struct ptx_function *function)
{
    for (int n = 0; n < graph->count; n++) {
        const struct node *const node = &graph->nodes[n];
        const int last = node->end - 1;
        const struct ptx_instruction *const source = &function->instructions[last];
        if (!is_branch(source) || node->successor_count < 2)
            continue;
        const int meeting = node->dominator;
        if (meeting < 0 || meeting == graph->count)
            continue;
        flow->join[last] = graph->nodes[meeting].first;
        flow->joins[flow->join[last]] = true;
    }
}

static bool build_graph(struct graph *graph, const struct flow *flow,
                        const struct ptx_function *function)
{
    const size_t size = (size_t)flow->count + 1;
    graph->nodes = calloc(size, sizeof *graph->nodes);
    graph->node_of = calloc(size, sizeof *graph->node_of);
    graph->order = calloc(size, sizeof *graph->order);
    if (!graph->nodes || !graph->node_of || !graph->order)
        return false;
    for (int i = 0; i < flow->count; i++) {
        if (flow->leads[i])
            graph->nodes[graph->count++].first = i;
        graph->node_of[i] = graph->count - 1;
        graph->nodes[graph->count - 1].end = i + 1;
    }
    graph->node_of[flow->count] = -1;
    for (int n = 0; n < graph->count; n++)
        set_successors(graph, &graph->nodes[n], function);
    return true;
}

static void free_graph(struct graph *graph)
{
    for (int n = 0; graph->nodes && n < graph->count; n++)
        free(graph->nodes[n].many);
    free(graph->nodes);
    free(graph->node_of);
    free(graph->order);
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
    struct graph graph = {0};
    const bool built = build_graph(&graph, flow, function);
    if (built) {
        mark_barriers(flow, &graph, function);
        prune(&graph, function);
        restore_needed(&graph);
        find_dominators(&graph);
        set_joins(flow, &graph, function);
    }
    free_graph(&graph);
    return built;
}

void sim_flow_free(struct flow *flow)
{
    free(flow->leads);
    free(flow->joins);
    free(flow->join);
    free(flow->meets_barrier);
    *flow = (struct flow){0};
}
