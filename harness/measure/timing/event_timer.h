/**
 * @file event_timer.h
 * @brief The device's time for what is enqueued between begin and end, without the host's time.
 *
 * The time between two events includes all that happens between them, also the host's calls while
 * the device has nothing to do. A host with cold caches (it has just compared 64 MB of
 * outputs) needs longer for a call of cuBLAS than an H200 for the product of two matrices of 1024 x
 * 1024. So begin() holds the device back with a kernel that waits until end() says that all work is
 * enqueued.
 */
#ifndef LAB_EVENT_TIMER_H
#define LAB_EVENT_TIMER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/** Set up by lab_event_timer_create(); all zero means: none. */
struct lab_event_timer {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *zeros;        /**< twice the L2 cache, read by begin(); NULL: the cache is left alone */
    size_t zeros_bytes; /**< bytes of `zeros` */
    int *go;            /**< the host's word to the waiting device; NULL: nothing waits */
    const int *go_on_device;
};

/**
 * @brief Makes events and memory for times on `stream`.
 * @param empty_l2  begin() empties the L2 cache, by reading, so that no dirty lines are left
 *
 * On the simulator, which runs each launch before the call returns and whose times say nothing,
 * nothing waits and no cache is emptied. After an error, lab_event_timer_destroy() frees what was
 * made.
 */
cudaError_t lab_event_timer_create(struct lab_event_timer *timer, cudaStream_t stream,
                                   bool empty_l2);

/** Frees; a timer that is all zero is allowed. */
void lab_event_timer_destroy(struct lab_event_timer *timer);

/** Empties the cache, holds the device back (for 20 ms at most: a queue may fill, and a call may
 *  wait for the device), and enqueues the first event. */
cudaError_t lab_event_timer_begin(struct lab_event_timer *timer);

/** Enqueues the second event and lets the device go. To be called even after an error in
 * between. */
cudaError_t lab_event_timer_end(struct lab_event_timer *timer);

/** Waits for the second event; milliseconds between the two. */
cudaError_t lab_event_timer_read(struct lab_event_timer *timer, double *ms);

/* --- its device code ---------------------------------------------------------------------------*/

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueues a kernel that reads `bytes` (a multiple of 16) of device memory, all of them 0. */
cudaError_t lab_enqueue_read(const void *zeros, size_t bytes, cudaStream_t stream);

/** Enqueues a kernel of one thread that ends when `*go`, in host memory that the device sees, is
 *  not 0, or after `limit_ms`. */
cudaError_t lab_enqueue_wait(const int *go, double limit_ms, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
