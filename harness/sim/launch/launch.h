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

struct launch;
struct worker;
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
    bool is_decoded;       /**< it was launched, and began */
    unsigned coordinates;  /**< see struct program; once decoded */
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

/* --- the order of blocks -----------------------------------------------------------------------*/

/* The order in which the blocks of a launch run, and how many have begun. Running them in
 * reverse shows results that depend on the order. */

/** Sets whether later launches begin with their last block. */
void sim_turn_set(bool reversed);

/** Sets whether a block of later launches lets other blocks go first after it has drawn a number,
 *  which is the old value of an atomic addition. Otherwise the first block may draw all numbers
 * before others begin. */
void sim_turn_share(bool shared);

/** The launches that ran in reverse since sim_turn_set(). */
unsigned sim_turn_count(void);

/** How many blocks, or clusters, of this launch run in reverse at a time; 0: none. These are few if
 * a block may wait for a block of a lower number, which works on a GPU because blocks begin in
 * order. */
uint64_t sim_turn_wanted(const struct sim_launch *request, uint64_t clusters);

/** How often a block of this launch may let others go first. */
int sim_turn_shares(void);

/** Before the blocks of a launch run. */
void sim_turn_begin(const struct launch *launch);

/** Gives a worker the block that comes next in the order. False: there is none, or a block before
 *  it has failed. */
bool sim_turn_take(struct worker *worker);

/** Blocks begun of the running or last launch, and all of its blocks. For any thread. */
void sim_turn_progress(uint64_t *begun, uint64_t *all);

#endif
