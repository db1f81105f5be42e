/**
 * @file request.h
 * @brief What is to be launched: kernel, shape and arguments.
 */
#ifndef SIM_MACHINE_REQUEST_H
#define SIM_MACHINE_REQUEST_H

#include <stddef.h>
#include <stdint.h>

struct sim_kernel; /**< an entry of a loaded module, decoded when first asked for */
struct sim_gpu_profile;
struct cache_machine; /**< the modelled GPU's caches (cache/l2.h) */
struct sim_footprint; /**< what it uses (check/global_footprint.h) */
struct sim_beside;    /**< another kernel, and what that uses (check/global_early.h) */

/** What to execute: kernel, shape and arguments. */
struct sim_launch {
    struct sim_kernel *kernel;
    unsigned grid[3], block[3];
    size_t dynamic_shared; /**< bytes */
    void **args;           /**< one pointer per parameter, as cudaLaunchKernel takes them */
    int sm_count;          /**< of the modelled device, for %nsmid */
    size_t stack_bytes;    /**< of a thread whose calls may recurse; 0: any number */
    int registers;         /**< of a thread in machine code, for counting; 0: not known */
    unsigned workers;      /**< CPU threads; 0: all cores */
    uint64_t resident;     /**< blocks that the device runs at the same time; 0: any number */
    uint64_t grid_barrier; /**< device address of a cooperative launch's barrier, two zeroed words;
                              0: it is none. All blocks of one that is run at the same time */
    const struct cache_machine *caches; /**< modelled while counting is on; NULL: not */
    const struct sim_gpu_profile *gpu;  /**< whose latencies a timeline has; NULL: none is made */
    struct sim_footprint *footprint;    /**< receives what it uses; NULL: not wanted */
    const struct sim_beside *beside;    /**< has not ended until a block waits for it; NULL: none */
};

#endif
