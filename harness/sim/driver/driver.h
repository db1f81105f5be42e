/**
 * @file driver.h
 * @brief What the files of the drop-in CUDA driver share. A call of the driver API is the call of
 * the runtime that does the same, in a context.
 *
 * There is one device, and all contexts share its memory.
 */
#ifndef SIM_DRIVER_DRIVER_H
#define SIM_DRIVER_DRIVER_H

#include "sim/runtime/runtime.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cudaProfiler.h>
#pragma GCC visibility pop

/** What keeps a call from being done: no cuInit(), or no context. CUDA_SUCCESS: nothing. */
CUresult sim_driver_lacks_init(void);
CUresult sim_driver_lacks_context(void);

/** The driver's number of an error of the runtime. */
CUresult sim_driver_error(cudaError_t error);

/** The end of a call that sim_driver_enters() began. @return sim_driver_error() */
CUresult sim_driver_ends(cudaError_t error);

/** What a call of the driver API returns: the runtime's `call` does its work. */
#define SIM_IN_CONTEXT(call)                                                                       \
    (sim_driver_lacks_context() ? sim_driver_lacks_context()                                       \
                                : (sim_driver_enters(), sim_driver_ends(call)))
/** As SIM_IN_CONTEXT(), for a call that needs no context. */
#define SIM_IN_DRIVER(call)                                                                        \
    (sim_driver_lacks_init() ? sim_driver_lacks_init()                                             \
                             : (sim_driver_enters(), sim_driver_ends(call)))

/** Exports a function under the name of an older form, which takes the same. */
#define SIM_OLD_NAME(name, old)                                                                    \
    __typeof__(name) old_##name __asm__(#old) __attribute__((alias(#name), visibility("default")))

/** A CUdeviceptr is the pointer that the runtime has, as a number. */
static inline void *sim_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/** The whole file with a NUL behind it, to be freed; NULL: it cannot be read. */
char *sim_driver_read(const char *path, size_t *length);

/** The mapping of virtual memory at an address: false if there is none. */
bool sim_mapping_at(CUdeviceptr address, CUdeviceptr *start, size_t *size);

/** Says that something is not implemented. @return CUDA_ERROR_NOT_SUPPORTED */
CUresult sim_driver_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
