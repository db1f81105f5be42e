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
struct cache_machine; /**< the modelled GPU's caches (cache/cache.c) */
struct sim_footprint; /**< what a launch uses (check/global_footprint.h) */
struct sim_beside;    /**< another kernel and what it uses (check/global_footprint.c) */

/** What to execute: kernel, shape and arguments. */
struct sim_launch {
    struct sim_kernel *kernel;
    unsigned grid[3], block[3];
    unsigned cluster[3];   /**< in blocks, a divisor of the grid; 0: not given */
    size_t dynamic_shared; /**< bytes */
    void **args;           /**< one pointer per parameter, as cudaLaunchKernel takes them */
    int sm_count;          /**< of the modelled device, for %nsmid */
    size_t stack_bytes;    /**< of a thread whose calls may recurse; 0: no limit */
    int registers;         /**< of a thread in machine code, for counting; 0: not known */
    unsigned workers;      /**< CPU threads; 0: all cores */
    uint64_t resident;     /**< blocks that the device runs at the same time; 0: no limit */
    uint64_t grid_barrier; /**< device address of a cooperative launch's barrier, two zeroed words;
                              its blocks all run at the same time; 0: not a cooperative launch */
    const struct cache_machine *caches; /**< modelled while counting is on; NULL: not modelled */
    const struct sim_gpu_profile *gpu;  /**< gives a timeline its latencies; NULL: no timeline */
    struct sim_footprint *footprint;    /**< receives what the launch uses; NULL: not wanted */
    const struct sim_beside *beside;    /**< a kernel that runs until a thread waits for it */
};

/* ---- What no launch may exceed, on any GPU that CUDA 13 supports ---- */

enum {
    MAX_BLOCK_THREADS = 1024,
    MAX_BLOCK_WARPS = 32,
    MAX_BLOCK_X = 1024,
    MAX_BLOCK_Y = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_X = 2147483647,
    MAX_GRID_YZ = 65535,
    MAX_CLUSTER_BLOCKS = 16,
    MAX_SHARED_BYTES = 227 << 10 /**< of a block; a GPU may allow less */
};

#endif
