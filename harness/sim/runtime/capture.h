/**
 * @file capture.h
 * @brief Capturing streams into graphs: the calls of a captured stream become nodes (graph.h).
 *
 * The caller of these functions holds the API lock.
 */
#ifndef SIM_RUNTIME_CAPTURE_H
#define SIM_RUNTIME_CAPTURE_H

#include "runtime.h"

/** The graph that a stream is captured into, and the stream's part of the capture. The graph is
 *  NULL if the stream is not captured. */
struct sim_captured {
    struct CUgraph_st *graph;
    struct sim_branch *branch;
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
bool sim_capture_node(cudaStream_t stream, enum cudaGraphNodeType type, sim_node_run *run,
                      const void *data, size_t size, cudaError_t *status);
/** As sim_capture_node(), for a call that cannot be a node: the call spoils the capture. */
bool sim_capture_spoils(cudaStream_t stream, cudaError_t *status);
/** Whether a capture began in the stream, so that it cannot end without the stream. */
bool sim_capture_is_begun_by(cudaStream_t stream);
/** The error of a call that may wait for the device, if a capture forbids the call; cudaSuccess: no
 *  capture does. `always`: a capture of any mode forbids the call. */
cudaError_t sim_capture_forbids(bool always);
/** The error of work of the default stream while a blocking stream is captured. The default stream
 *  would have to wait for that stream, whose work is only captured. */
cudaError_t sim_capture_forbids_default(void);

/** An event's record in a captured stream. */
struct sim_capture_point {
    unsigned long long capture; /**< 0: the event was not recorded in a capture */
    int moment;
};
/** These functions record an event, or let a stream wait for an event, if a capture concerns the
 *  call. `status` is then what the call returns. @return whether a capture concerns the call */
bool sim_capture_record(cudaStream_t stream, struct sim_capture_point *point, cudaError_t *status);
bool sim_capture_wait(cudaStream_t stream, const struct sim_capture_point *point, bool is_recorded,
                      cudaError_t *status);

#endif
