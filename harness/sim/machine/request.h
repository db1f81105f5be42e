/**
 * @file request.h
 * @brief What is to be launched: kernel, shape and arguments.
 */
#ifndef SIM_MACHINE_REQUEST_H
#define SIM_MACHINE_REQUEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_kernel; /**< an entry of a loaded module, decoded when first asked for */
struct sim_gpu_profile;
struct cache_machine; /**< the modelled GPU's caches (cache/cache.c) */
struct sim_footprint; /**< what a launch uses (check/global_footprint.h) */
struct sim_beside;    /**< another kernel and what it uses (check/global_footprint.c) */

/** What a thread asks the device's runtime for: a kernel, a copy or a fill, which comes after the
 *  kernel that asks. */
struct sim_child {
    const char *kernel; /**< mangled name; NULL: a copy or a fill */
    unsigned grid[3], block[3];
    size_t dynamic_shared;
    uint64_t parameters; /**< device address of a kernel's, as laid out */
    uint64_t to, from;   /**< of a copy; from 0: a fill */
    size_t to_pitch, from_pitch, width, rows;
    int value;      /**< of a fill */
    uint64_t asked; /**< its place among all that was asked for; 0: only prepared */
    uint64_t block_number;
    bool is_tail; /**< comes after the others */
    unsigned
        refused_thread; /**< its thread's number in the block, and 1, if its shape is refused */
};

/** Bytes in front of a launch's parameters, where its place in the list is. */
enum { SIM_CHILD_HEAD = 256 };

/** All that the threads of a kernel have asked for. */
struct sim_children {
    pthread_mutex_t lock;
    struct sim_child *list;
    size_t count, capacity;
    uint64_t asked, refused;
};

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
    struct sim_children *children;      /**< receives what threads launch; NULL: they may not */
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
