/* Conditional nodes of graphs: a value that kernels set decides which body runs, or how often. The
 * handle of a condition is the device address of its value. */
#include "graph.h"

#include <stdlib.h>

/* A condition, and the value that it has at the start of each launch. */
struct condition {
    uint64_t address;
    const struct CUgraph_st *graph;
    unsigned first;
    bool has_first;
    struct condition *next;
};

/* What a conditional node does; its bodies are the node's. */
struct conditional {
    const struct CUgraphNode_st *node;
    struct condition *condition;
    enum cudaGraphConditionalNodeType type;
};

static struct condition *conditions;

static unsigned *value_of(const struct condition *condition)
{
    return sim_memory_host(condition->address, sizeof(unsigned));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *made, cudaGraph_t graph,
                                             unsigned first, unsigned flags)
{
    cudaError_t status = sim_enter();
    if (!status &&
        (!made || !sim_graph_is_valid(graph) || (flags & ~(unsigned)cudaGraphCondAssignDefault)))
        status = cudaErrorInvalidValue;
    struct condition *const condition = status ? NULL : calloc(1, sizeof *condition);
    const uint64_t address =
        condition ? sim_memory_allocate(sizeof first, SIM_MEMORY_SYMBOL, "a graph's condition") : 0;
    if (!status && !address) {
        free(condition);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        *condition = (struct condition){address, graph, first, flags != 0, conditions};
        conditions = condition;
        *value_of(condition) = first;
        *made = address;
    }
    return sim_leave(status);
}

/* Runs a body's nodes one after the other. */
static cudaError_t run_body(const struct CUgraph_st *body, cudaStream_t stream)
{
    struct CUgraph_st flat = {0};
    cudaError_t status = sim_graph_copy(&flat, body, true);
    for (int i = 0; !status && i < flat.nodes.count; i++) {
        const struct CUgraphNode_st *const node = flat.nodes.list[i];
        status = sim_enter();
        if (!status && node->run && !node->is_disabled)
            status = node->run(node->data, stream);
        sim_leave(status);
    }
    sim_graph_clear(&flat);
    return status;
}

static cudaError_t run(const void *data, cudaStream_t stream)
{
    const struct conditional *const conditional = data;
    const struct CUgraphNode_st *const node = conditional->node;
    const unsigned *const value = value_of(conditional->condition);
    cudaError_t status = cudaSuccess;
    switch (conditional->type) {
    case cudaGraphCondTypeIf:
        if (*value || node->body_count > 1)
            status = run_body(node->bodies[*value ? 0 : 1], stream);
        break;
    case cudaGraphCondTypeWhile:
        while (!status && *value)
            status = run_body(node->bodies[0], stream);
        break;
    case cudaGraphCondTypeSwitch:
        if (*value < node->body_count)
            status = run_body(node->bodies[*value], stream);
        break;
    }
    return status;
}

cudaError_t sim_condition_add(cudaGraphNode_t *made, cudaGraph_t graph,
                              const struct sim_nodes *before,
                              struct cudaConditionalNodeParams *parameters)
{
    struct conditional wanted = {.condition = conditions, .type = parameters->type};
    while (wanted.condition && wanted.condition->address != parameters->handle)
        wanted.condition = wanted.condition->next;
    const unsigned most = parameters->type == cudaGraphCondTypeIf      ? 2
                          : parameters->type == cudaGraphCondTypeWhile ? 1
                                                                       : UINT32_MAX;
    if (!wanted.condition || parameters->type > cudaGraphCondTypeSwitch || !parameters->size ||
        parameters->size > most)
        return cudaErrorInvalidValue;
    struct CUgraphNode_st *const node =
        sim_graph_append(graph, cudaGraphNodeTypeConditional, before, run, &wanted, sizeof wanted);
    if (!node || !sim_node_set_bodies(node, NULL, parameters->size))
        return cudaErrorMemoryAllocation;
    sim_condition_copied(node);
    parameters->phGraph_out = node->bodies;
    *made = node;
    return cudaSuccess;
}

void sim_condition_copied(struct CUgraphNode_st *copy)
{
    if (copy->type == cudaGraphNodeTypeConditional)
        ((struct conditional *)copy->data)->node = copy;
}

void sim_conditions_begin(const struct CUgraph_st *graph)
{
    for (int i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *const node = graph->nodes.list[i];
        if (node->type != cudaGraphNodeTypeConditional)
            continue;
        const struct condition *const condition =
            ((const struct conditional *)node->data)->condition;
        if (condition->has_first)
            *value_of(condition) = condition->first;
        for (unsigned body = 0; body < node->body_count; body++)
            sim_conditions_begin(node->bodies[body]);
    }
}

void sim_conditions_reset(void)
{
    while (conditions) {
        struct condition *const next = conditions->next;
        sim_memory_free(conditions->address);
        free(conditions);
        conditions = next;
    }
}
