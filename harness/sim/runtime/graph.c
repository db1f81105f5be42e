/* Graphs as a program builds and walks them: graphs, nodes, and which node comes before which. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct CUgraph_st *graphs;

struct CUgraph_st *sim_graphs(void)
{
    return graphs;
}

/* ---- Lists of nodes -------------------------------------------------------------------------- */

bool sim_nodes_add(struct sim_nodes *nodes, struct CUgraphNode_st *node)
{
    if ((nodes->count & (nodes->count - 1)) == 0) {
        const size_t capacity = nodes->count ? 2 * (size_t)nodes->count : 1;
        struct CUgraphNode_st **const list = realloc(nodes->list, capacity * sizeof(*list));
        if (!list)
            return false;
        nodes->list = list;
    }
    nodes->list[nodes->count++] = node;
    return true;
}

bool sim_nodes_hold(const struct sim_nodes *nodes, const struct CUgraphNode_st *node)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->list[i] == node)
            return true;
    return false;
}

bool sim_nodes_join(struct sim_nodes *nodes, const struct sim_nodes *more)
{
    for (int i = 0; i < more->count; i++)
        if (!sim_nodes_hold(nodes, more->list[i]) && !sim_nodes_add(nodes, more->list[i]))
            return false;
    return true;
}

static void remove_from(struct sim_nodes *nodes, const struct CUgraphNode_st *node)
{
    int kept = 0;
    for (int i = 0; i < nodes->count; i++)
        if (nodes->list[i] != node)
            nodes->list[kept++] = nodes->list[i];
    nodes->count = kept;
}

void sim_nodes_free(struct sim_nodes *nodes)
{
    free(nodes->list);
    *nodes = (struct sim_nodes){0};
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

bool sim_node_is_valid(cudaGraphNode_t node)
{
    for (struct CUgraph_st *graph = graphs; graph; graph = graph->next)
        if (sim_nodes_hold(&graph->nodes, node))
            return true;
    return false;
}

struct CUgraphNode_st *sim_graph_append(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                        const struct sim_nodes *before, sim_node_run *run,
                                        const void *data, size_t size)
{
    struct CUgraphNode_st *const node = calloc(1, sizeof *node);
    void *const copy = size ? malloc(size) : NULL;
    if (!node || (size && !copy) || !sim_nodes_join(&node->before, before) ||
        !sim_nodes_add(&graph->nodes, node)) {
        if (node)
            sim_nodes_free(&node->before);
        free(node);
        free(copy);
        return NULL;
    }
    if (size)
        memcpy(copy, data, size);
    node->graph = graph;
    node->type = type;
    node->run = run;
    node->data = copy;
    node->size = size;
    sim_graph_memory_named(node, 1);
    return node;
}

static void free_node(struct CUgraphNode_st *node)
{
    if (node->child)
        sim_graph_destroy(node->child);
    for (unsigned i = 0; i < node->body_count; i++)
        sim_graph_destroy(node->bodies[i]);
    sim_graph_memory_named(node, -1);
    free(node->bodies);
    sim_nodes_free(&node->before);
    free(node->arguments);
    free(node->data);
    free(node);
}

void sim_node_swap(struct CUgraphNode_st *to, struct CUgraphNode_st *from)
{
    const struct CUgraphNode_st old = *to;
    to->run = from->run, from->run = old.run;
    to->data = from->data, from->data = old.data;
    to->size = from->size, from->size = old.size;
    to->child = from->child, from->child = old.child;
    to->bodies = from->bodies, from->bodies = old.bodies;
    to->body_count = from->body_count, from->body_count = old.body_count;
    sim_condition_copied(to);
    free(to->arguments);
    to->arguments = NULL;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

struct CUgraph_st *sim_graph_new(void)
{
    struct CUgraph_st *const graph = calloc(1, sizeof *graph);
    if (graph) {
        graph->next = graphs;
        graphs = graph;
    }
    return graph;
}

void sim_graph_clear(struct CUgraph_st *graph)
{
    for (int i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.list[i]);
    sim_nodes_free(&graph->nodes);
    sim_graph_refer_no_more(graph);
}

void sim_graph_destroy(struct CUgraph_st *graph)
{
    struct CUgraph_st **link = &graphs;
    while (*link != graph)
        link = &(*link)->next;
    *link = graph->next;
    sim_graph_clear(graph);
    free(graph);
}

bool sim_node_set_bodies(struct CUgraphNode_st *node, struct CUgraph_st *const *bodies,
                         unsigned count)
{
    node->bodies = calloc(count, sizeof(*node->bodies));
    for (unsigned i = 0; node->bodies && i < count; i++) {
        struct CUgraph_st *const body = sim_graph_new();
        if (!body)
            return false;
        body->is_child = true;
        node->bodies[node->body_count++] = body;
        if (bodies && sim_graph_copy(body, bodies[i], false))
            return false;
    }
    return node->bodies;
}

bool sim_graph_is_valid(cudaGraph_t graph)
{
    for (struct CUgraph_st *live = graphs; live; live = live->next)
        if (live == graph)
            return true;
    return false;
}

/* Appends to `sorted` all nodes, each behind those that come before it, else in their order. */
static cudaError_t sort(const struct CUgraph_st *graph, struct sim_nodes *sorted)
{
    const struct sim_nodes *const nodes = &graph->nodes;
    for (int i = 0; i < nodes->count; i++)
        nodes->list[i]->number = 0; /* 1: it is in the list */
    for (int before = -1; before < sorted->count;) {
        before = sorted->count;
        for (int i = 0; i < nodes->count; i++) {
            struct CUgraphNode_st *const node = nodes->list[i];
            bool is_ready = !node->number;
            for (int j = 0; is_ready && j < node->before.count; j++)
                is_ready = node->before.list[j]->number;
            if (is_ready && !sim_nodes_add(sorted, node))
                return cudaErrorMemoryAllocation;
            node->number |= is_ready;
        }
    }
    return sorted->count == nodes->count ? cudaSuccess : cudaErrorInvalidValue;
}

/* Appends to `last` the nodes of which no other comes after. */
static bool find_last(const struct sim_nodes *nodes, struct sim_nodes *last)
{
    for (int i = 0; i < nodes->count; i++)
        nodes->list[i]->number = 0; /* how many nodes come after it */
    for (int i = 0; i < nodes->count; i++)
        for (int j = 0; j < nodes->list[i]->before.count; j++)
            nodes->list[i]->before.list[j]->number++;
    for (int i = 0; i < nodes->count; i++)
        if (!nodes->list[i]->number && !sim_nodes_add(last, nodes->list[i]->copy))
            return false;
    return true;
}

static cudaError_t copy_nodes(struct CUgraph_st *to, const struct CUgraph_st *from, bool is_flat,
                              const struct sim_nodes *first, struct sim_nodes *last);

/* Copies a node behind others. If it holds a graph and the copy is flat, the copy is an empty node
 * behind the nodes of that graph. */
static cudaError_t copy_node(struct CUgraph_st *to, struct CUgraphNode_st *node, bool is_flat,
                             const struct sim_nodes *before)
{
    struct sim_nodes inner = {0};
    cudaError_t status = cudaSuccess;
    struct CUgraphNode_st *copy = NULL;
    if (is_flat && node->child) {
        status = copy_nodes(to, node->child, true, before, &inner);
        if (!status)
            copy = sim_graph_append(to, cudaGraphNodeTypeEmpty, inner.count ? &inner : before, NULL,
                                    NULL, 0);
        sim_nodes_free(&inner);
    } else {
        copy = sim_graph_append(to, node->type, before, node->run, node->data, node->size);
        if (copy && node->child) {
            copy->child = sim_graph_new();
            if (copy->child) {
                copy->child->is_child = true;
                status = sim_graph_copy(copy->child, node->child, false);
            }
            if (!copy->child)
                copy = NULL;
        }
        if (copy && node->bodies && !sim_node_set_bodies(copy, node->bodies, node->body_count))
            copy = NULL;
        if (copy)
            sim_condition_copied(copy);
    }
    if (status || !copy)
        return status ? status : cudaErrorMemoryAllocation;
    copy->branch = node->branch;
    copy->is_main = node->is_main && !node->graph->is_child;
    memcpy(copy->stream, node->stream, sizeof copy->stream);
    copy->is_disabled = node->is_disabled;
    copy->original = node;
    node->copy = copy;
    return cudaSuccess;
}

/* As sim_graph_copy(). The copies of the first nodes come after `first`; `last` receives the
 * copies that no other comes after. */
static cudaError_t copy_nodes(struct CUgraph_st *to, const struct CUgraph_st *from, bool is_flat,
                              const struct sim_nodes *first, struct sim_nodes *last)
{
    struct sim_nodes sorted = {0};
    cudaError_t status = sort(from, &sorted);
    if (!status && !sim_graph_refer_as(to, from))
        status = cudaErrorMemoryAllocation;
    for (int i = 0; !status && i < sorted.count; i++) {
        struct CUgraphNode_st *const node = sorted.list[i];
        struct sim_nodes before = {0};
        for (int j = 0; !status && j < node->before.count; j++)
            if (!sim_nodes_add(&before, node->before.list[j]->copy))
                status = cudaErrorMemoryAllocation;
        if (!status)
            status = copy_node(to, node, is_flat, before.count ? &before : first);
        sim_nodes_free(&before);
    }
    if (!status && !find_last(&sorted, last))
        status = cudaErrorMemoryAllocation;
    sim_nodes_free(&sorted);
    return status;
}

cudaError_t sim_graph_copy(struct CUgraph_st *to, const struct CUgraph_st *from, bool is_flat)
{
    struct sim_nodes last = {0};
    const cudaError_t status = copy_nodes(to, from, is_flat, &(struct sim_nodes){0}, &last);
    sim_nodes_free(&last);
    return status;
}

void sim_graphs_reset(void)
{
    sim_executables_reset();
    for (struct CUgraph_st *graph = graphs, *next; graph; graph = next) {
        next = graph->next;
        sim_streams_release(graph);
        if (graph->capture)
            sim_capture_end(graph);
    }
    for (struct CUgraph_st *graph = graphs; graph; graph = graphs) {
        while (graph->is_child)
            graph = graph->next;
        sim_graph_destroy(graph);
    }
    sim_conditions_reset();
    sim_graph_memory_reset();
}

/* ---- The API: graphs ------------------------------------------------------------------------- */

static cudaError_t enter_with(cudaGraph_t graph)
{
    const cudaError_t status = sim_enter();
    return status || sim_graph_is_valid(graph) ? status : cudaErrorInvalidValue;
}

static cudaError_t enter_with_node(cudaGraphNode_t node)
{
    const cudaError_t status = sim_enter();
    return status || sim_node_is_valid(node) ? status : cudaErrorInvalidValue;
}

cudaError_t cudaGraphCreate(cudaGraph_t *made, unsigned flags)
{
    cudaError_t status = sim_enter();
    if (!status && (!made || flags))
        status = cudaErrorInvalidValue;
    if (!status) {
        *made = sim_graph_new();
        status = *made ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return sim_leave(status);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t status = enter_with(graph);
    if (!status && graph->capture)
        status = cudaErrorIllegalState;
    if (!status && graph->is_child)
        status = cudaErrorInvalidValue;
    if (!status)
        sim_graph_destroy(graph);
    return sim_leave(status);
}

cudaError_t cudaGraphClone(cudaGraph_t *made, cudaGraph_t graph)
{
    cudaError_t status = enter_with(graph);
    if (!status && (!made || graph->capture))
        status = cudaErrorInvalidValue;
    if (!status && sim_graph_has_memory(graph))
        status = cudaErrorNotSupported;
    struct CUgraph_st *const clone = status ? NULL : sim_graph_new();
    if (!status)
        status = clone ? sim_graph_copy(clone, graph, false) : cudaErrorMemoryAllocation;
    if (!status)
        *made = clone;
    else if (clone)
        sim_graph_destroy(clone);
    return sim_leave(status);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    cudaError_t status = enter_with(clone);
    if (!status && (!found || !sim_node_is_valid(original)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    for (int i = 0; i < clone->nodes.count; i++)
        if (clone->nodes.list[i]->original == original) {
            *found = clone->nodes.list[i];
            return sim_leave(cudaSuccess);
        }
    return sim_leave(cudaErrorInvalidValue);
}

/* ---- The API: nodes and dependencies --------------------------------------------------------- */

/* Gives a list to a program that has room for *count nodes, or asks for their number alone. */
static void give(const struct sim_nodes *found, cudaGraphNode_t *nodes, size_t *count)
{
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = i < (size_t)found->count ? found->list[i] : NULL;
    if (!nodes || (size_t)found->count < *count)
        *count = (size_t)found->count;
}

/* The edges of this simulator carry no data: a node comes after all of another node. */
static void give_edges(cudaGraphEdgeData *edges, const size_t *count)
{
    if (edges)
        memset(edges, 0, *count * sizeof *edges);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    cudaError_t status = enter_with(graph);
    if (!status && !count)
        status = cudaErrorInvalidValue;
    if (!status)
        give(&graph->nodes, nodes, count);
    return sim_leave(status);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    struct sim_nodes roots = {0};
    cudaError_t status = enter_with(graph);
    if (!status && !count)
        status = cudaErrorInvalidValue;
    for (int i = 0; !status && i < graph->nodes.count; i++)
        if (!graph->nodes.list[i]->before.count && !sim_nodes_add(&roots, graph->nodes.list[i]))
            status = cudaErrorMemoryAllocation;
    if (!status)
        give(&roots, nodes, count);
    sim_nodes_free(&roots);
    return sim_leave(status);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    struct sim_nodes first = {0}, second = {0};
    cudaError_t status = enter_with(graph);
    if (!status && (!count || !from != !to))
        status = cudaErrorInvalidValue;
    for (int i = 0; !status && i < graph->nodes.count; i++) {
        struct CUgraphNode_st *const node = graph->nodes.list[i];
        for (int j = 0; j < node->before.count; j++)
            if (!sim_nodes_add(&first, node->before.list[j]) || !sim_nodes_add(&second, node))
                status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        size_t room = *count;
        give(&first, from, &room);
        give(&second, to, count);
        give_edges(from ? edges : NULL, count);
    }
    sim_nodes_free(&first);
    sim_nodes_free(&second);
    return sim_leave(status);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *before,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    cudaError_t status = enter_with_node(node);
    if (!status && !count)
        status = cudaErrorInvalidValue;
    if (!status) {
        give(&node->before, before, count);
        give_edges(before ? edges : NULL, count);
    }
    return sim_leave(status);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *after,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    struct sim_nodes found = {0};
    cudaError_t status = enter_with_node(node);
    if (!status && !count)
        status = cudaErrorInvalidValue;
    for (int i = 0; !status && i < node->graph->nodes.count; i++)
        if (sim_nodes_hold(&node->graph->nodes.list[i]->before, node) &&
            !sim_nodes_add(&found, node->graph->nodes.list[i]))
            status = cudaErrorMemoryAllocation;
    if (!status) {
        give(&found, after, count);
        give_edges(after ? edges : NULL, count);
    }
    sim_nodes_free(&found);
    return sim_leave(status);
}

/* Whether a list of edges may be added, or removed if `are_there`. */
static bool are_edges(const struct CUgraph_st *graph, const cudaGraphNode_t *from,
                      const cudaGraphNode_t *to, size_t count, bool are_there)
{
    if (count && (!from || !to))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!sim_nodes_hold(&graph->nodes, from[i]) || !sim_nodes_hold(&graph->nodes, to[i]) ||
            from[i] == to[i] || sim_nodes_hold(&to[i]->before, from[i]) != are_there)
            return false;
    return true;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    (void)edges;
    cudaError_t status = enter_with(graph);
    if (!status && !are_edges(graph, from, to, count, false))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < count; i++)
        if (!sim_nodes_hold(&to[i]->before, from[i]) && !sim_nodes_add(&to[i]->before, from[i]))
            status = cudaErrorMemoryAllocation;
    return sim_leave(status);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    (void)edges;
    cudaError_t status = enter_with(graph);
    if (!status && !are_edges(graph, from, to, count, true))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < count; i++)
        remove_from(&to[i]->before, from[i]);
    return sim_leave(status);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t status = enter_with_node(node);
    if (!status && node->graph->capture)
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    struct sim_nodes *const nodes = &node->graph->nodes;
    for (int i = 0; i < nodes->count; i++)
        remove_from(&nodes->list[i]->before, node);
    remove_from(nodes, node);
    free_node(node);
    return sim_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    cudaError_t status = enter_with_node(node);
    if (!status && !type)
        status = cudaErrorInvalidValue;
    if (!status)
        *type = node->type;
    return sim_leave(status);
}

/* The graph in the language of Graphviz. */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    static const char *const types[] = {
        "kernel",       "memcpy", "memset", "host",       "graph", "empty", "event wait",
        "event record", "signal", "wait",   "allocation", "free",  "batch", "conditional"};
    (void)flags;
    cudaError_t status = enter_with(graph);
    FILE *const file = !status && path ? fopen(path, "w") : NULL;
    if (!status && !file)
        status = path ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    fprintf(file, "digraph dot {\n");
    for (int i = 0; i < graph->nodes.count; i++)
        graph->nodes.list[i]->number = i;
    for (int i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *const node = graph->nodes.list[i];
        fprintf(file, "n%d [label=\"%d: %s\"];\n", i, i, types[node->type]);
        for (int j = 0; j < node->before.count; j++)
            fprintf(file, "n%d -> n%d;\n", node->before.list[j]->number, i);
    }
    fprintf(file, "}\n");
    if (fclose(file) != 0)
        status = cudaErrorOperatingSystem;
    return sim_leave(status);
}
