/**
 * @file launch.h
 * @brief The simulated machine: loads PTX modules and runs kernels to the end.
 *
 * The drop-in CUDA runtime calls it, and it calls the decoder and the checks. A launch is
 * synchronous: the blocks run on all CPU cores, each block on one core, which takes its warps in
 * turns.
 */
#ifndef SIM_LAUNCH_LAUNCH_H
#define SIM_LAUNCH_LAUNCH_H

#include "sim/lab_sim.h"
#include "sim/machine/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_module; /**< a loaded PTX module with its global variables placed in device memory */

/**
 * @brief Parses PTX and places its global and constant variables in device memory.
 * @param ptx  allocated; freed with the module, and at once on failure
 * @param error  receives one line on failure (error_size bytes, always terminated)
 * @return NULL on failure.
 */
struct sim_module *sim_module_load(char *ptx, size_t length, char *error, size_t error_size);
void sim_module_unload(struct sim_module *module);

/**
 * @brief An entry by its PTX (mangled) name. Its first launch decodes it, or fails.
 * @param error  receives one line if its body cannot be parsed; empty if there is no such entry
 * @return NULL on failure.
 */
struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name, char *error,
                                     size_t error_size);

/** Says what a function that the kernel calls takes on the stack, by its mangled name. */
void sim_kernel_set_frame(struct sim_kernel *kernel, const char *function, size_t bytes);

/** Device address and size of a global or constant variable; 0 if there is none. */
uint64_t sim_module_variable(struct sim_module *module, const char *name, size_t *size);

/** Static facts of a kernel, from PTX. */
struct sim_kernel_facts {
    const char *name;      /**< mangled */
    size_t shared_bytes;   /**< static shared memory */
    size_t local_bytes;    /**< per thread */
    size_t declared_bytes; /**< likewise, with those of functions that it calls; once decoded */
    size_t constant_bytes; /**< .const of the module */
    int max_threads;       /**< from __launch_bounds__, else 1024 */
    int param_count;
    const size_t *param_sizes; /**< bytes of each parameter */
    int ptx_version;           /**< virtual architecture, such as 90 */
    int cluster[3];            /**< __cluster_dims__, in blocks; 0: none */
};
void sim_kernel_facts(const struct sim_kernel *kernel, struct sim_kernel_facts *facts);

/** Runs a kernel to its end, or to its first fault. Never exits the process. */
void sim_execute(const struct sim_launch *launch, struct sim_outcome *outcome);

/* ---- Which grids and blocks may be launched ---- */

/**
 * @brief Whether a kernel may be launched in this shape.
 * @param max_threads  of a block, from the kernel's launch bounds
 * @param why  receives one line when it may not
 */
bool sim_shape_allowed(const unsigned grid[3], const unsigned block[3], int max_threads, char *why,
                       size_t size);

/* ---- All opcodes that the simulator knows ---- */

extern const struct opcodes sim_opcodes;

#endif
