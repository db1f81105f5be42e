/**
 * @file calls.h
 * @brief Which CUDA calls a launch function makes that the contract does not allow (common/step.h).
 *
 * As with launches (launches.h), `lab` defines these functions itself and passes each call on, on a
 * GPU and on the simulator. Only what the kernel file calls by itself counts, not the harness.
 */
#ifndef LAB_MEASURE_CALLS_H
#define LAB_MEASURE_CALLS_H

#include <stdbool.h>
#include <cuda_runtime_api.h>

#include <setjmp.h>

/** From now on looks at what the object that holds `launch` calls; NULL: at nothing. It is given
 *  `stream`. */
void lab_calls_watch(const void *launch, cudaStream_t stream);

/** While it is not NULL, what is watched and would end the program (exit(), abort()) is forbidden
 *  and goes on there instead. */
void lab_calls_catch(jmp_buf *way_out);

/** Before a call that ends the program, from an address in the code of the caller: does not return
 *  to it if that is watched. */
void lab_calls_leave(const char *name, const void *caller);

/** What it has called since and must not: a sentence for people, or NULL. Valid until the next
 *  lab_calls_watch(). */
const char *lab_calls_forbidden(void);

/** Tells of a call that prints, from an address in the code of the caller. */
void lab_calls_note_print(const char *name, const void *caller);

/** Which pinned memory it has changed that a copy may still read: the same. */
const char *lab_calls_changed(void);

/** Which of its calls has filled or copied memory last: "cudaMemsetAsync", or NULL. Valid until
 *  another launch function is watched. */
const char *lab_calls_filled(void);

/** Whether it has enqueued a host function. Until another launch function is watched. */
bool lab_calls_has_host_function(void);

/** Which of its calls has failed last, with this error: "cudaMemcpyAsync()", or NULL. Valid
 *  until another launch function is watched. */
const char *lab_calls_failed(cudaError_t error);

/** Tells of what a launch returned, and returns it. */
cudaError_t lab_calls_note_launched(const void *function, cudaError_t status, const void *caller);

/** Tells of a launch on a stream, from an address in the code of the caller. */
void lab_calls_note_launch(const void *function, cudaStream_t stream, const void *caller);

#endif
