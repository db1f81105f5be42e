/**
 * @file graph.h
 * @brief Graphs: nodes, each with the nodes that come before it. A program adds nodes one by one
 * (graph_node.c), or captures streams (capture.c); graph_launch.c runs a graph.
 *
 * The caller of these functions holds the API lock, but for sim_graph_add() and sim_graph_change(),
 * which are whole calls of the API.
 */
#ifndef SIM_RUNTIME_GRAPH_H
#define SIM_RUNTIME_GRAPH_H

#include "capture.h"

#include <pthread.h>

/** Nodes in order; owns the list and not the nodes. */
struct sim_nodes {
    struct CUgraphNode_st **list;
    int count;
};

/** The API's opaque handles are declared with these names. */
struct CUgraphNode_st {
    struct CUgraph_st *graph;
    enum cudaGraphNodeType type;
    sim_node_run *run; /**< NULL: the node does nothing, or holds a graph */
    void *data;        /**< for `run`, `size` bytes */
    size_t size;
    void **arguments;           /**< of a kernel, once the program has asked; or NULL */
    struct CUgraph_st *child;   /**< of a node that holds a graph */
    struct CUgraph_st **bodies; /**< of a conditional node: what it may run */
    unsigned body_count;
    struct sim_nodes before;
    unsigned long long branch; /**< the captured stream; 0: the program added the node */
    bool is_main;              /**< captured from the stream in which the capture began */
    char stream[40];           /**< the captured stream's name, or "" */
    bool is_disabled;
    const struct CUgraphNode_st *original; /**< whose copy it is; may be gone, so only compared */
    /** Valid while a graph is put in order or copied. */
    struct CUgraphNode_st *copy;
    int number;
};

/** A stream's part of a capture. */
struct sim_branch {
    unsigned long long number;
    bool is_main;
    char stream[40];
    struct sim_nodes tail; /**< what the stream's next node comes after */
    struct sim_branch *next;
};

/** A graph, and the capture into it if one goes on. */
struct CUgraph_st {
    struct sim_nodes nodes;
    struct sim_reference *references; /**< to user objects (graph_object.c) */
    bool is_child;                    /**< a node holds the graph */
    /** The capture into the graph. */
    unsigned long long capture;   /**< 0: none */
    bool is_spoiled, is_blocking; /**< is_blocking: the default stream would have to wait */
    bool is_given;                /**< the program made the graph before the capture */
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    struct sim_branch *branches;
    struct sim_nodes *points; /**< for each record of an event: what comes before it */
    int point_count;
    struct CUgraph_st *next;
};

/** @return false: memory runs out. */
bool sim_nodes_add(struct sim_nodes *nodes, struct CUgraphNode_st *node);
/** Adds those of `more` that are not there. @return false: memory runs out. */
bool sim_nodes_join(struct sim_nodes *nodes, const struct sim_nodes *more);
bool sim_nodes_hold(const struct sim_nodes *nodes, const struct CUgraphNode_st *node);
void sim_nodes_free(struct sim_nodes *nodes);

/** Ends the capture into a graph, whatever came of it. */
void sim_capture_end(struct CUgraph_st *graph);

/** A graph that the program may use; NULL: memory runs out. */
struct CUgraph_st *sim_graph_new(void);
void sim_graph_destroy(struct CUgraph_st *graph);
/** Destroys the nodes of a graph that is not one of the program's. */
void sim_graph_clear(struct CUgraph_st *graph);
/** Whether the program may use the handle. */
bool sim_graph_is_valid(cudaGraph_t graph);
bool sim_node_is_valid(cudaGraphNode_t node);
/** All graphs that the program may use: the first of a list. */
struct CUgraph_st *sim_graphs(void);

/** Adds a node after others. Copies `data`. NULL: memory runs out. */
struct CUgraphNode_st *sim_graph_append(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                        const struct sim_nodes *before, sim_node_run *run,
                                        const void *data, size_t size);

/** Takes the work of `from`, which is then `to`'s old work; both are of one type. */
void sim_node_swap(struct CUgraphNode_st *to, struct CUgraphNode_st *from);

/** Copies the nodes of a graph, each behind those that come before it. With `is_flat`, the nodes of
 *  child graphs take the place of the nodes that hold them. @return cudaErrorInvalidValue: the
 *  dependencies form a circle. After an error, `to` may hold some of the nodes. */
cudaError_t sim_graph_copy(struct CUgraph_st *to, const struct CUgraph_st *from, bool is_flat);

/** A call that enqueues work on cudaStreamPerThread. */
typedef cudaError_t sim_graph_call(const void *parameters);

/** Adds a node that does what `call` enqueues, behind `count` others. */
cudaError_t sim_graph_add(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                          size_t count, sim_graph_call *call, const void *parameters);
/** Gives a node, or its copy in an executable graph, what `call` enqueues. That must be of the
 *  node's type. `executable` is NULL for the node itself. */
cudaError_t sim_graph_change(const cudaGraphExec_t *executable, cudaGraphNode_t node,
                             sim_graph_call *call, const void *parameters);

/** The node of an executable graph that is the copy of `node`; NULL: there is none. */
struct CUgraphNode_st *sim_executable_node(cudaGraphExec_t executable, cudaGraphNode_t node);

/** Destroys all graphs and executable graphs. */
void sim_graphs_reset(void);
void sim_executables_reset(void);

/** Gives a conditional node bodies, copies of another's or empty ones (bodies NULL).
 *  @return false: memory runs out. */
bool sim_node_set_bodies(struct CUgraphNode_st *node, struct CUgraph_st *const *bodies,
                         unsigned count);
/** Conditional nodes (graph_condition.c): adds one; tells a node that it is a copy; at the launch
 * of a graph, gives the conditions of its nodes their first values. */
cudaError_t sim_condition_add(cudaGraphNode_t *made, cudaGraph_t graph,
                              const struct sim_nodes *before,
                              struct cudaConditionalNodeParams *parameters);
void sim_condition_copied(struct CUgraphNode_st *copy);
void sim_conditions_begin(const struct CUgraph_st *graph);
void sim_conditions_reset(void);

/** User objects (graph_object.c): a copy refers to what the graph does. @return false: memory runs
 *  out. A graph that goes refers to nothing. */
bool sim_graph_refer_as(struct CUgraph_st *to, const struct CUgraph_st *from);
void sim_graph_refer_no_more(struct CUgraph_st *graph);

/** Memory of graphs (graph_memory.c): nodes that allocate or free it, of a captured stream. */
cudaError_t sim_graph_allocate(void **pointer, size_t size, cudaStream_t stream);
cudaError_t sim_graph_free(void *pointer, cudaStream_t stream);
/** Counts the nodes that name the memory of a node that allocates or frees: 1 more, or -1. */
void sim_graph_memory_named(const struct CUgraphNode_st *node, int more);
bool sim_graph_has_memory(const struct CUgraph_st *graph);
/** Whether both have a node that allocates the same memory, as a graph and its copy do. */
bool sim_graphs_allocate_the_same(const struct CUgraph_st *graph, const struct CUgraph_st *other);
/** Before a launch: the error if a launch has left memory that nothing has freed, or, if `frees`,
 *  frees it. */
cudaError_t sim_graph_memory_begin(const struct CUgraph_st *graph, bool frees);
/** Whether graphs own the memory; then it is not in use any more. */
bool sim_graph_memory_release(const void *pointer);
void sim_graph_memory_reset(void);

/** What a node does, in the API's words (launch.c, copy.c). `data` is the node's. */
void sim_kernel_node_get(const void *data, struct cudaKernelNodeParams *parameters);
/** Where a kernel's arguments are inside `data`; to be freed. NULL: memory runs out. */
void **sim_kernel_node_arguments(const void *data);
cudaError_t sim_kernel_node_set_attribute(void *data, const cudaLaunchAttribute *attribute);
void sim_kernel_node_get_attribute(const void *data, cudaLaunchAttribute *attribute);
/** Gives a launch the attributes of another of the same kernel; of another kernel, none. */
void sim_kernel_node_copy_attributes(void *to, const void *from);
void sim_copy_node_get(const void *data, struct cudaMemcpy3DParms *parameters);
void sim_fill_node_get(const void *data, struct cudaMemsetParams *parameters);

#endif
