/**
 * @file graph.h
 * @brief Graphs, which are captured from streams: calls are kept, and done when the graph is
 * launched.
 *
 * A graph is kept as the work of its streams and the events between them. So a launch orders its
 * work as the calls would have, and races between its branches are found as between streams. All
 * under the API lock.
 */
#ifndef SIM_RUNTIME_GRAPH_H
#define SIM_RUNTIME_GRAPH_H

#include "order.h"
#include "runtime.h"

/** The graph that a stream is captured into, and its branch there. The graph is NULL if the stream
 *  is not captured. */
struct sim_captured {
    struct CUgraph_st *graph;
    int branch;
};

/** Does the work of a node in a stream. */
typedef cudaError_t sim_node_run(const void *data, cudaStream_t stream);

/** The stream's own struct sim_captured; NULL for the default stream, which is never captured. */
struct sim_captured *sim_stream_captured(cudaStream_t stream);
/** Ends all captures of streams into a graph. */
void sim_streams_release(const struct CUgraph_st *graph);
/** Opens a stream for a branch of a graph. */
cudaStream_t sim_stream_open(unsigned flags, int priority, const char *name);
/** The number of a valid stream (order.h). */
int sim_stream_order(cudaStream_t stream);

/** Makes work of a valid stream a node if the stream is captured; `status` is then what the call
 *  returns. `size` bytes of `data` are copied. @return whether the stream is captured */
bool sim_capture_node(cudaStream_t stream, sim_node_run *run, const void *data, size_t size,
                      cudaError_t *status);
/** The same for a call that cannot be a node: it spoils the capture. */
bool sim_capture_spoils(cudaStream_t stream, cudaError_t *status);
/** The error of a call that may wait for the device during a capture; cudaSuccess: it may be made.
 *  `always` if the mode of the capture does not matter. */
cudaError_t sim_capture_forbids(bool always);

/** An event's record in a captured stream. */
struct sim_capture_point {
    unsigned long long capture; /**< 0: it was not recorded in one */
    int moment;
};
/** Records an event in a captured stream; lets a stream wait for an event if either is captured.
 *  `status` is then what the call returns. @return whether this was so */
bool sim_capture_record(cudaStream_t stream, struct sim_capture_point *point, cudaError_t *status);
bool sim_capture_wait(cudaStream_t stream, const struct sim_capture_point *point, bool is_recorded,
                      cudaError_t *status);

/** Destroys all graphs. */
void sim_graphs_reset(void);

#endif
