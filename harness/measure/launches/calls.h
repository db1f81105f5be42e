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

/** Watches from now on what the object that holds `launch` calls; NULL: watches nothing. `stream`
 *  is the stream that the launch function is given. */
void lab_calls_watch(const void *launch, cudaStream_t stream);

/** While `way_out` is not NULL, a watched call that would end the program (exit(), abort()) is
 *  forbidden, and jumps there instead. */
void lab_calls_catch(jmp_buf *way_out);

/** To be called before a call that ends the program, with an address in the code of the caller:
 *  does not return if the caller is watched. */
void lab_calls_leave(const char *name, const void *caller);

/** A sentence on a forbidden call since lab_calls_watch(), or NULL. Valid until the next
 *  lab_calls_watch(). */
const char *lab_calls_forbidden(void);

/** Notes a call that prints, with an address in the code of the caller. */
void lab_calls_note_print(const char *name, const void *caller);

/** A sentence on pinned memory that was changed while a copy may still read it; as above. */
const char *lab_calls_changed(void);

/** The launch function's last call that filled or copied memory: "cudaMemsetAsync", or NULL. Valid
 *  until another launch function is watched. */
const char *lab_calls_filled(void);

/** Whether the launch function has enqueued a host function; valid as above. */
bool lab_calls_has_host_function(void);

/** The launch function's last call that failed with this error: "cudaMemcpyAsync()", or NULL. Valid
 *  until another launch function is watched. */
const char *lab_calls_failed(cudaError_t error);

/** Notes the status that a launch returned, and returns it. */
cudaError_t lab_calls_note_launched(const void *function, cudaError_t status, const void *caller);

/** Notes a launch on a stream, with an address in the code of the caller. */
void lab_calls_note_launch(const void *function, cudaStream_t stream, const void *caller);

#endif
