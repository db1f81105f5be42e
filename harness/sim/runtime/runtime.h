/**
 * @file runtime.h
 * @brief What the files of the drop-in CUDA runtime share: the lock, errors, and registered code.
 *
 * Every API function is `status = sim_enter(); if (!status) ...; return sim_leave(status);`.
 */
#ifndef SIM_RUNTIME_RUNTIME_H
#define SIM_RUNTIME_RUNTIME_H

#include "sim/lab_sim.h"

/* The API's own declarations are the only exported ones (built with -fvisibility=hidden). */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cache/cache.h"
#include "sim/fatbin/fatbin.h"
#include "sim/lab_sim.h"
#include "sim/launch/launch.h"
#include "sim/memory/memory.h"

/**
 * Exports `name`_ptds or `name`_ptsz, which programs call that are built for one default stream per
 * host thread. It does the same as `name`, since execution is synchronous.
 */
#define SIM_PER_THREAD_STREAM(name, suffix)                                                        \
    __typeof__(name) name##suffix __attribute__((alias(#name), visibility("default")))

/* ---- errors.c: the lock and the errors ------------------------------------------------------- */

/** Takes the API lock. @return the error of a kernel that failed before (it stays until
 *  cudaDeviceReset()), or cudaErrorNotPermitted inside a host callback. */
cudaError_t sim_enter(void);

/** Takes the API lock for calls that work in every state. */
void sim_enter_always(void);

/** Releases the lock and remembers a failure for cudaGetLastError(). @return `status` */
#define sim_leave(status) sim_leave_call(status, __func__)
cudaError_t sim_leave_call(cudaError_t status, const char *call);

/** From now on every call fails with this error, as on a GPU after a kernel's fault. */
void sim_set_fault(cudaError_t fault);

/** Notes a call that is not supported, for lab_sim_last_outcome(), unless the last outcome already
 * says that something is not supported. */
void sim_note_unsupported(const char *message);

/** Between these two, calls come from the driver API: what they return is not the runtime's last
 *  error. */
void sim_driver_enters(void);
void sim_driver_leaves(void);
/** Whether this host thread has called the runtime, which then uses the primary context. */
bool sim_runtime_is_used(void);

/** Runs a host callback of the program. CUDA calls inside the callback are refused. */
void sim_call_host(void (*function)(void *), void *argument);

/** Prints one line, "libcudart (simulator): ...", on standard error unless quiet. */
void sim_runtime_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- registration.c: code and variables that programs bring along ---------------------------- */

/** A kernel as the program knows it. */
struct sim_function {
    const void *host;          /**< address of the host stub, which names the kernel */
    char *name;                /**< mangled */
    struct sim_image *image;   /**< where its code is */
    struct sim_kernel *kernel; /**< set by sim_function_load() */
    struct sim_kernel_facts facts;
    struct sim_cubin_kernel compiled; /**< from the machine code beside the PTX; zeros if none */
    int max_dynamic_shared;           /**< bytes; raised by cudaFuncSetAttribute() */
    int carveout;
    int cluster[3];          /**< cudaFuncAttributeRequiredCluster...; 0: not set */
    bool has_large_clusters; /**< cudaFuncAttributeNonPortableClusterSizeAllowed */
    bool was_launched;
    void *set; /**< for the calls of CUDA 3 that launch it (driver/old_launch.c); freed with it */
    struct sim_function *next; /**< in the same bucket */
};

/** The function of a host stub or of a cudaKernel_t; NULL: there is none. */
struct sim_function *sim_function_find(const void *host);

/** Loads the code of a function if need be. @return cudaSuccess, or why it cannot run. */
cudaError_t sim_function_load(struct sim_function *function);

/** Device address and size of a registered variable, by its host shadow. */
cudaError_t sim_variable_find(const void *host, uint64_t *address, size_t *size);

/** Loads a module of the driver API: PTX with a NUL behind it, or a fat binary. The caller's `data`
 *  is not needed any more. @return NULL on failure, with the reason in *status. */
struct sim_image *sim_image_open(const void *data, cudaError_t *status);
/** Unloads it. @return false: there is no such image. */
bool sim_image_close(struct sim_image *image);
/** Whether sim_image_open() gave it, and nothing has unloaded it. */
bool sim_image_is_module(const struct sim_image *image);
/** A kernel of a module, loaded; its record is also its handle. NULL on failure: see *status. */
struct sim_function *sim_image_function(struct sim_image *image, const char *name,
                                        cudaError_t *status);
/** Device address and size of a module's variable; 0: there is none. */
uint64_t sim_image_variable(struct sim_image *image, const char *name, size_t *size);

/** Unloads all code. Modules are gone; other code is loaded again when next needed. Part of
 *  cudaDeviceReset(). */
void sim_images_reset(void);

/* ---- summary.c: what a program did, for `run exec` ------------------------------------------- */

/** Whether `run exec` started the program. */
bool sim_summary_is_wanted(void);
/** Notes that a kernel is about to run. */
void sim_summary_launch(struct sim_function *function);
/** Notes what has just been reported. */
void sim_summary_finding(const struct sim_outcome *outcome);
/** Notes the first call that fails, and that the program has then asked for its error. */
void sim_summary_failed(const char *call, const char *error);
void sim_summary_looked(void);

/* ---- launch.c, function.c, stream.c -----------------------------------------------------------
 */

/** cudaLimitStackSize. */
size_t sim_stack_limit(void);

/** The size of clusters that a kernel requires, in blocks; zeros: none. */
const int *sim_function_cluster(const struct sim_function *function);
/** The most blocks in a cluster of a kernel; 1: the GPU has no clusters. */
int sim_function_cluster_limit(const struct sim_function *function);

/** Most threads in a block that registers and launch bounds allow. */
int sim_function_max_threads(const struct sim_function *function);

/** How many blocks of `threads` threads are resident on an SM at a time; -1 if the calculation
 * fails. */
int sim_function_resident_blocks(const struct sim_function *function, int threads, size_t dynamic);

/** Sets a fault like a kernel's, because `call` copies unwritten memory, first at `address`. */
void sim_copy_fails(const char *call, uint64_t address);

/** Sets a fault like a kernel's, because `call` writes what it reads, first at `address`. */
void sim_copy_overlaps(const char *call, uint64_t address);

/** Ends a copy or a fill. If `footprint`, which the caller has filled in, shows a race with work of
 *  other streams, the race is a fault like a kernel's. `footprint` is NULL if none is wanted. */
cudaError_t sim_copy_ends(const char *call, const struct sim_footprint *footprint);

/** The modelled GPU's caches for a launch (caches.c). */
struct cache_machine sim_launch_caches(const struct sim_function *function, int threads,
                                       size_t dynamic);

/** True for the default streams and those that cudaStreamCreate*() made. */
bool sim_stream_valid(cudaStream_t stream);

/** Notes that work is enqueued on a valid stream: a kernel, or a call. @return what receives its
 *  footprint, for sim_concurrent_end(); NULL: no footprint is wanted. */
struct sim_footprint *sim_stream_work(cudaStream_t stream, const char *what);

/** Notes that the host has waited for the work of a valid stream. */
void sim_stream_done(cudaStream_t stream);

/** Destroys every stream and event. Part of cudaDeviceReset(). */
void sim_streams_reset(void);

/* ---- The GPU that the simulator simulates ---- */

/** The modelled device: the H200, or the GPU that LAB_SIM_GPU names. It does not change once the
 *  library is loaded. */
extern struct sim_gpu_profile sim_device;

#endif
