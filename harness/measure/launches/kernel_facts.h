/**
 * @file kernel_facts.h
 * @brief Registers, shared memory, launch shape and theoretical occupancy of what was launched.
 */
#ifndef LAB_KERNEL_FACTS_H
#define LAB_KERNEL_FACTS_H

#include "machine/device.h"

#include <stdbool.h>
#include <stddef.h>

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
