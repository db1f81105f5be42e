/**
 * @file launches.h
 * @brief Records every kernel launch: which kernel, grid, block and dynamic shared memory.
 *
 * `lab` defines the launch entry points of the CUDA runtime itself and passes each call on, so
 * that the shape of a launch is known exactly, for any kernel file, without asking it.
 */
#ifndef LAB_MEASURE_LAUNCHES_LAUNCHES_H
#define LAB_MEASURE_LAUNCHES_LAUNCHES_H

#include "machine/device.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/** One launch as it was made. */
struct lab_launch_record {
    const void *function; /**< what cudaFuncGetAttributes() takes */
    dim3 grid, block;
    size_t dynamic_shared; /**< bytes */
    double work;           /**< see lab_launches_set_work(); 0: not taken */
};

/** Finds the real entry points in a loaded CUDA runtime; -1 when one is missing. */
int lab_launches_bind(void);

/** Forgets what was recorded. */
void lab_launches_reset(void);

/** Calls `after` with `context` after every launch from now on; NULL: stops that. */
void lab_launches_watch(void (*after)(void *context), void *context);

/** Launches since the last reset. Only the first of them are kept: see lab_launches_get(). */
int lab_launches_count(void);

/** The i-th launch since the last reset, or NULL past the 16 that are kept. */
const struct lab_launch_record *lab_launches_get(int i);

/** Keeps the work of the i-th launch, in one unit for all launches: milliseconds, or instructions.
 *  Does nothing for launches that are not kept. */
void lab_launches_set_work(int i, double work);

/* Which CUDA calls a launch function makes that the contract does not allow (common/step.h).
 *
 * As with launches, `lab` defines these functions itself and passes each call on, on a
 * GPU and on the simulator. Only what the kernel file calls by itself counts, not the harness. */

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

/* Registers, shared memory, launch shape and theoretical occupancy of what was launched. */

enum { LAB_MAX_NAMED = 16 };

/** How many blocks an SM holds at a time, and what would change that. */
struct lab_residency {
    int blocks; /**< the least of the next four */
    int by_registers, by_shared, by_warps, by_blocks;
    int registers_for_as_many; /**< most per thread with which it holds as many blocks */
    int registers_for_more;    /**< most with which it would hold one block more; 0: none */
    size_t shared_for_as_many; /**< bytes per block, likewise */
    size_t shared_for_more;    /**< likewise; 0: not even without shared memory */
};

/** The facts of a row's main kernel. */
struct lab_kernel_facts {
    bool known;
    int registers;         /**< per thread */
    size_t shared_bytes;   /**< per block, static and dynamic */
    size_t local_bytes;    /**< per thread; not 0 means spills or arrays in local memory */
    size_t declared_local; /**< of these, what the PTX declares, not spills; on the simulator */
    unsigned grid[3], block[3];
    double occupancy;               /**< theoretical, 0 to 1 */
    struct lab_residency residency; /**< only from lab_kernel_facts_read() */
    int launches;                   /**< kernels that one launch of the row starts */
    /** The kernels' mangled names, owned by the runtime, as far as it tells them. Taken on a GPU,
     *  where a profiler sees a library's kernels between them. */
    const char *names[LAB_MAX_NAMED];
};

/** Theoretical occupancy of a launch, 0 to 1: the warps of the blocks that fit on a multiprocessor
 *  at a time, divided by the warps that it has room for; 0 if no block fits. */
double lab_occupancy(const struct cudaDeviceProp *properties,
                     const struct cudaFuncAttributes *attributes, int threads,
                     size_t dynamic_shared);

/** Blocks of a grid, or threads of a block. */
static inline double lab_shape_product(const unsigned sizes[3])
{
    return (double)sizes[0] * sizes[1] * sizes[2];
}

/** Facts of the launches recorded since lab_launches_reset(), for the kernel that did most of the
 * work (see lab_launches_set_work()). `known` is false if there was none, or if the runtime does
 *  not tell. */
void lab_kernel_facts_read(const struct lab_device *device, struct lab_kernel_facts *facts);

/** Whether the device cannot hold even one block of the last recorded launch; `why` then receives
 *  what is lacking. */
bool lab_kernel_facts_too_large(const struct lab_device *device, char *why, size_t size);

/** Facts of the i-th launch recorded since lab_launches_reset(), alone. */
void lab_kernel_facts_of_launch(const struct lab_device *device, int i,
                                struct lab_kernel_facts *facts);

#endif
