/**
 * @file machine.h
 * @brief The simulated machine: loads PTX modules and runs kernels to the end.
 *
 * Above it stands the drop-in CUDA runtime, below it the decoder and the executor. A launch is
 * synchronous: blocks run on all CPU cores, each block on one of them, its warps in lockstep.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stddef.h>
#include <stdint.h>

struct sim_module; /**< a loaded PTX module with its global variables placed in device memory */
struct sim_kernel; /**< an entry of it, decoded when first asked for */

enum sim_status {
    SIM_OK,
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_DIVERGENT_BARRIER, /**< also a block that can make no progress */
    SIM_ASSERT,
    SIM_TRAP,
    SIM_UNSUPPORTED,    /**< an opcode, modifier or call that the simulator does not know */
    SIM_UNINITIALIZED,  /**< a read of memory that nothing has written */
    SIM_INPUT_MODIFIED, /**< a write to memory that kernels may only read */
    SIM_RACE,           /**< two threads use a word in an order that nothing fixes */
    SIM_TIMEOUT,        /**< a block runs on and on */
    SIM_BAD_LAUNCH      /**< block too large, too much shared memory ... */
};

/** How a launch ended. On a fault: what, where, and the first offending thread. */
struct sim_outcome {
    enum sim_status status;
    char message[1024]; /**< one line for people: what happened and what usually causes it */
    char kernel[256];   /**< demangled name */
    char file[512];     /**< user's source file, or "" */
    int line;           /**< 0 if unknown */
    unsigned block[3], thread[3];
    uint64_t address;             /**< of a memory fault */
    uint64_t warp_instructions;   /**< PTX instructions executed, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
};

/**
 * @brief Parses PTX and places its global and constant variables in device memory.
 * @param error  receives one line on failure (error_size bytes, always terminated)
 * @return NULL on failure.
 */
struct sim_module *sim_module_load(const char *ptx, size_t length, char *error, size_t error_size);
void sim_module_unload(struct sim_module *module);

/** An entry by its PTX (mangled) name; NULL if there is none. Decoding problems show at launch. */
struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name);

/** Device address and size of a global or constant variable; 0 if there is none. */
uint64_t sim_module_variable(struct sim_module *module, const char *name, size_t *size);

/** Static facts of a kernel, from PTX. */
struct sim_kernel_facts {
    const char *name;      /**< mangled */
    size_t shared_bytes;   /**< static shared memory */
    size_t local_bytes;    /**< per thread */
    size_t constant_bytes; /**< .const of the module */
    int max_threads;       /**< from __launch_bounds__, else 1024 */
    int param_count;
    const size_t *param_sizes; /**< bytes of each parameter */
    int ptx_version;           /**< virtual architecture, 90 */
};
void sim_kernel_facts(const struct sim_kernel *kernel, struct sim_kernel_facts *facts);

struct cache_machine; /**< the modelled GPU's caches (cache/l2.h) */

/** What to execute: kernel, shape and arguments. */
struct sim_launch {
    struct sim_kernel *kernel;
    unsigned grid[3], block[3];
    size_t dynamic_shared; /**< bytes */
    void **args;           /**< one pointer per parameter, as cudaLaunchKernel takes them */
    int sm_count;          /**< of the modelled device, for %nsmid */
    unsigned workers;      /**< CPU threads; 0: all cores */
    const struct cache_machine *caches; /**< modelled while counting is on; NULL: not */
};

/** Runs a kernel to its end, or to its first fault. Never exits the process. */
void sim_execute(const struct sim_launch *launch, struct sim_outcome *outcome);

#endif
