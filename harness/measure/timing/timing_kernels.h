/**
 * @file timing_kernels.h
 * @brief The device code of timing. What calls it is measure/timing/event_timer.c.
 */
#ifndef LAB_TIMING_KERNELS_H
#define LAB_TIMING_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

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
