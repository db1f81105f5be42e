/* User objects: what a program lets graphs keep. An object counts its references; with the last one
 * its destructor is called, at once, where a GPU's driver calls it some time later. */
#include "graph.h"

#include <limits.h>
#include <stdlib.h>

/* CUDA's name for it. */
struct CUuserObject_st {
    void *pointer;
    cudaHostFn_t destroy;
    unsigned count;
    struct CUuserObject_st *next;
};

/* The references that a graph has to one object. */
struct sim_reference {
    struct CUuserObject_st *object;
    unsigned count;
    struct sim_reference *next;
};

static struct CUuserObject_st *objects;

static struct CUuserObject_st **find(const struct CUuserObject_st *object)
{
    struct CUuserObject_st **link = &objects;
    while (*link && *link != object)
        link = &(*link)->next;
    return link;
}

static void release(struct CUuserObject_st *object, unsigned count)
{
    object->count -= count;
    if (object->count)
        return;
    *find(object) = object->next;
    object->destroy(object->pointer);
    free(object);
}

static struct sim_reference **find_reference(struct CUgraph_st *graph,
                                             const struct CUuserObject_st *object)
{
    struct sim_reference **link = &graph->references;
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    return link;
}

/* The graph has `count` references more, which are counted already. False: memory runs out. */
static bool refer(struct CUgraph_st *graph, struct CUuserObject_st *object, unsigned count)
{
    struct sim_reference **const link = find_reference(graph, object);
    if (!*link && !(*link = calloc(1, sizeof **link)))
        return false;
    (*link)->object = object;
    (*link)->count += count;
    return true;
}

bool sim_graph_refer_as(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    for (const struct sim_reference *kept = from->references; kept; kept = kept->next) {
        if (!refer(to, kept->object, kept->count))
            return false;
        kept->object->count += kept->count;
    }
    return true;
}

void sim_graph_refer_no_more(struct CUgraph_st *graph)
{
    while (graph->references) {
        struct sim_reference *const first = graph->references;
        graph->references = first->next;
        release(first->object, first->count);
        free(first);
    }
}

/* ---- The API --------------------------------------------------------------------------------- */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *made, void *pointer, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags)
{
    cudaError_t status = sim_enter();
    if (!status &&
        (!made || !destroy || !count || count > INT_MAX || flags != cudaUserObjectNoDestructorSync))
        status = cudaErrorInvalidValue;
    struct CUuserObject_st *const object = status ? NULL : malloc(sizeof *object);
    if (!status && !object)
        status = cudaErrorMemoryAllocation;
    if (!status) {
        *object = (struct CUuserObject_st){pointer, destroy, count, objects};
        objects = *made = object;
    }
    return sim_leave(status);
}

static cudaError_t enter_with(cudaUserObject_t object, unsigned count)
{
    const cudaError_t status = sim_enter();
    return status || (object && *find(object) && count && count <= INT_MAX) ? status
                                                                            : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    const cudaError_t status = enter_with(object, count);
    if (!status)
        object->count += count;
    return sim_leave(status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    cudaError_t status = enter_with(object, count);
    if (!status && count > object->count)
        status = cudaErrorInvalidValue;
    if (!status)
        release(object, count);
    return sim_leave(status);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags)
{
    cudaError_t status = enter_with(object, count);
    if (!status && (!sim_graph_is_valid(graph) || flags & ~(unsigned)cudaGraphUserObjectMove))
        status = cudaErrorInvalidValue;
    if (!status && !refer(graph, object, count))
        status = cudaErrorMemoryAllocation;
    if (!status && !(flags & cudaGraphUserObjectMove))
        object->count += count;
    return sim_leave(status);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    cudaError_t status = enter_with(object, count);
    struct sim_reference **const link =
        !status && sim_graph_is_valid(graph) ? find_reference(graph, object) : NULL;
    struct sim_reference *const kept = link ? *link : NULL;
    if (!status && (!kept || kept->count < count))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    kept->count -= count;
    if (!kept->count) {
        *link = kept->next;
        free(kept);
    }
    release(object, count);
    return sim_leave(cudaSuccess);
}
