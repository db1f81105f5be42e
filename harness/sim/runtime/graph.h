/**
 * @file graph.h
 * @brief Graphs, which are captured from streams: what is called is kept, and done when the graph
 * is launched.
 *
 * A graph is kept as the work of its streams and the events between them, so that a launch puts the
 * same in order as the calls would have, and races between its branches are found as between
 * streams. All under the API lock.
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

/** A stream's own place for that; of the default stream, which is never captured, NULL. */
struct sim_captured *sim_stream_captured(cudaStream_t stream);
/** No stream is captured into that graph any more. */
void sim_streams_release(const struct CUgraph_st *graph);
/** A stream of a graph's branch. */
cudaStream_t sim_stream_open(unsigned flags, int priority, const char *name);
/** The number of a valid stream (order.h). */
int sim_stream_order(cudaStream_t stream);

/** Whether work of a valid stream becomes a node; if so that is done, and `status` is what the call
 *  gives. `size` bytes of `data` are copied. */
bool sim_capture_node(cudaStream_t stream, sim_node_run *run, const void *data, size_t size,
                      cudaError_t *status);
/** The same of a call that is no work of a graph, and spoils the capture. */
bool sim_capture_spoils(cudaStream_t stream, cudaError_t *status);
/** What a call that may wait for the device gives while something is captured; cudaSuccess: it may
 *  be made. `always` if the mode of the capture does not matter. */
cudaError_t sim_capture_forbids(bool always);

/** An event's record in a captured stream. */
struct sim_capture_point {
    unsigned long long capture; /**< 0: it was not recorded in one */
    int moment;
};
/** Whether an event is recorded in, or waited for by, a stream that is captured, or that an event
 *  captures now. */
bool sim_capture_record(cudaStream_t stream, struct sim_capture_point *point, cudaError_t *status);
bool sim_capture_wait(cudaStream_t stream, const struct sim_capture_point *point, bool is_recorded,
                      cudaError_t *status);

/** Destroys all graphs. */
void sim_graphs_reset(void);

#endif
