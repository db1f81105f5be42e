/* Memory that graphs allocate. It keeps its address from the graph's making on, as on a GPU; each
 * launch finds it unwritten again. It goes with the last node that names it, or when it is freed
 * after that. */
#include "graph.h"

#include <stdlib.h>

/* An allocation; `data` of its nodes is a pointer to it. */
struct memory {
    uint64_t address;
    size_t size;
    int names;      /* nodes that allocate or free it */
    bool is_in_use; /* allocated by a launch, and not freed */
    struct memory *next;
};

static struct memory *memories;

/* The bytes behind what launches have used since the last trim, and the highest that were, both for
 * use and in all, as a program may set these back. */
static uint64_t backed, most[2];

#define BACKED_UNIT ((uint64_t)32 << 20) /* an H200's */

static struct memory **find(uint64_t address)
{
    struct memory **link = &memories;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

/* The bytes behind all that is in use. */
static uint64_t in_use(void)
{
    uint64_t bytes = 0;
    for (const struct memory *memory = memories; memory; memory = memory->next)
        bytes += memory->is_in_use ? memory->size : 0;
    return (bytes + BACKED_UNIT - 1) / BACKED_UNIT * BACKED_UNIT;
}

static void drop_if_unused(struct memory *memory)
{
    if (memory->names > 0 || memory->is_in_use)
        return;
    *find(memory->address) = memory->next;
    sim_memory_free(memory->address);
    free(memory);
}

static cudaError_t run_allocation(const void *data, cudaStream_t stream)
{
    struct memory *const memory = *(struct memory *const *)data;
    (void)stream;
    memory->is_in_use = true;
    sim_memory_mark_unwritten(memory->address, memory->size);
    const uint64_t used = in_use();
    backed = used > backed ? used : backed;
    for (int i = 0; i < 2; i++)
        most[i] = backed > most[i] ? backed : most[i];
    return cudaSuccess;
}

static cudaError_t run_free(const void *data, cudaStream_t stream)
{
    (void)stream;
    (*(struct memory *const *)data)->is_in_use = false;
    return cudaSuccess;
}

cudaError_t sim_graph_allocate(void **pointer, size_t size, cudaStream_t stream)
{
    if (!pointer || !size)
        return cudaErrorInvalidValue;
    cudaError_t status = cudaErrorMemoryAllocation;
    struct memory *const memory = calloc(1, sizeof *memory);
    const uint64_t address = memory ? sim_memory_allocate(size, SIM_MEMORY_DEVICE, NULL) : 0;
    if (!address) {
        free(memory);
        return status;
    }
    *memory = (struct memory){.address = address, .size = size, .next = memories};
    memories = memory;
    sim_capture_node(stream, cudaGraphNodeTypeMemAlloc, run_allocation, &memory, sizeof memory,
                     &status);
    *pointer = (void *)address;
    drop_if_unused(memory);
    return status;
}

cudaError_t sim_graph_free(void *pointer, cudaStream_t stream)
{
    struct memory *const memory = *find((uint64_t)pointer);
    cudaError_t status = cudaErrorInvalidValue;
    if (memory)
        sim_capture_node(stream, cudaGraphNodeTypeMemFree, run_free, &memory, sizeof memory,
                         &status);
    return status;
}

static struct memory *memory_of(const struct CUgraphNode_st *node)
{
    const bool is_of_memory =
        node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree;
    return is_of_memory ? *(struct memory *const *)node->data : NULL;
}

void sim_graph_memory_named(const struct CUgraphNode_st *node, int more)
{
    struct memory *const memory = memory_of(node);
    if (memory)
        memory->names += more;
    if (memory && more < 0)
        drop_if_unused(memory);
}

bool sim_graph_has_memory(const struct CUgraph_st *graph)
{
    for (int i = 0; i < graph->nodes.count; i++)
        if (memory_of(graph->nodes.list[i]))
            return true;
    return false;
}

static bool allocates(const struct CUgraph_st *graph, const struct memory *memory)
{
    for (int i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.list[i]->type == cudaGraphNodeTypeMemAlloc &&
            memory_of(graph->nodes.list[i]) == memory)
            return true;
    return false;
}

bool sim_graphs_allocate_the_same(const struct CUgraph_st *graph, const struct CUgraph_st *other)
{
    for (int i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.list[i]->type == cudaGraphNodeTypeMemAlloc &&
            allocates(other, memory_of(graph->nodes.list[i])))
            return true;
    return false;
}

cudaError_t sim_graph_memory_begin(const struct CUgraph_st *graph, bool frees)
{
    for (int i = 0; i < graph->nodes.count; i++) {
        struct memory *const memory = memory_of(graph->nodes.list[i]);
        if (graph->nodes.list[i]->type != cudaGraphNodeTypeMemAlloc || !memory->is_in_use)
            continue;
        if (!frees)
            return cudaErrorInvalidValue;
        memory->is_in_use = false;
    }
    return cudaSuccess;
}

bool sim_graph_memory_release(const void *pointer)
{
    struct memory *const memory = *find((uint64_t)pointer);
    if (!memory)
        return false;
    memory->is_in_use = false;
    drop_if_unused(memory);
    return true;
}

void sim_graph_memory_reset(void)
{
    for (struct memory *memory = memories, *next; memory; memory = next) {
        next = memory->next;
        memory->is_in_use = false;
        drop_if_unused(memory);
    }
    backed = most[0] = most[1] = 0;
}

/* ---- What programs ask ----------------------------------------------------------------------- */

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *parameters)
{
    cudaError_t status = sim_enter();
    if (!status &&
        (!sim_node_is_valid(node) || node->type != cudaGraphNodeTypeMemAlloc || !parameters))
        status = cudaErrorInvalidValue;
    if (!status) {
        const struct memory *const memory = memory_of(node);
        *parameters = (struct cudaMemAllocNodeParams){.bytesize = memory->size,
                                                      .dptr = (void *)memory->address};
        parameters->poolProps.allocType = cudaMemAllocationTypePinned;
        parameters->poolProps.location.type = cudaMemLocationTypeDevice;
    }
    return sim_leave(status);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    cudaError_t status = sim_enter();
    if (!status && (!sim_node_is_valid(node) || node->type != cudaGraphNodeTypeMemFree || !pointer))
        status = cudaErrorInvalidValue;
    if (!status)
        *(uint64_t *)pointer = memory_of(node)->address;
    return sim_leave(status);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t status = sim_enter();
    if (!status && device)
        status = cudaErrorInvalidDevice;
    if (!status)
        backed = in_use();
    return sim_leave(status);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    cudaError_t status = sim_enter();
    if (!status && device)
        status = cudaErrorInvalidDevice;
    if (!status && (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh))
        status = cudaErrorInvalidValue;
    const bool is_highest =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!status)
        *(uint64_t *)value =
            is_highest ? most[attribute == cudaGraphMemAttrReservedMemHigh] : backed;
    return sim_leave(status);
}

/* Only the highest values can be set, and to zero. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    cudaError_t status = sim_enter();
    if (!status && device)
        status = cudaErrorInvalidDevice;
    if (!status && (!value || *(const uint64_t *)value ||
                    (attribute != cudaGraphMemAttrUsedMemHigh &&
                     attribute != cudaGraphMemAttrReservedMemHigh)))
        status = cudaErrorInvalidValue;
    if (!status)
        most[attribute == cudaGraphMemAttrReservedMemHigh] = backed;
    return sim_leave(status);
}
