/**
 * @file model.h
 * @brief The model of times, and the rows whose times it gives.
 */
#ifndef LAB_MEASURE_MODEL_MODEL_H
#define LAB_MEASURE_MODEL_MODEL_H

#include "measure/counters/counters.h"
#include "measure/result.h"
#include "sim/lab_sim.h"

#include <stdbool.h>

/* --- the model ---------------------------------------------------------------------------------*/

/** What can limit a kernel. All but the last are units with a throughput. */
enum lab_model_unit {
    LAB_UNIT_ISSUE,   /**< warp schedulers */
    LAB_UNIT_FMA,     /**< FP32 pipe */
    LAB_UNIT_FP64,    /**< FP64 pipe */
    LAB_UNIT_MUFU,    /**< special functions */
    LAB_UNIT_INTEGER, /**< integer pipe */
    LAB_UNIT_TENSOR,  /**< tensor cores */
    LAB_UNIT_LSU,     /**< data pipe of L1 and shared memory: wavefronts */
    LAB_UNIT_L2,      /**< sectors from L2 */
    LAB_UNIT_DRAM,    /**< bytes from and to DRAM */
    LAB_UNIT_ATOMICS, /**< turns of atomics at one place of L2, which all SMs share */
    LAB_UNIT_LATENCY, /**< too few warps to cover what they wait for */
    LAB_UNITS,
};

/** What the model needs of a kernel besides its counters. */
struct lab_model_kernel {
    double blocks;          /**< of the grid */
    double warps_per_block; /**< whole warps */
    double blocks_per_sm;   /**< resident at a time, by the occupancy */
    double launches;        /**< kernels in a row; each starts anew */
};

/** The model's result. */
struct lab_model {
    double milliseconds;
    enum lab_model_unit limiter; /**< the unit that would be full first, or latency */
    bool without_caches; /**< the traffic of L2 and DRAM was not counted, and bounds nothing */
    double bound_ms[LAB_UNITS]; /**< time of each unit alone, with all SMs busy; for latency: the
                                   time of one generation of warps after another */
};

/** "issue", "FMA", ... */
const char *lab_model_unit_name(enum lab_model_unit unit);

/**
 * @brief Models one row.
 * @return true; false when a counter that it cannot do without was not taken, or when no block is
 *         resident: there is no time then.
 */
bool lab_model_run(const struct lab_counters *counters, const struct lab_model_kernel *kernel,
                   const struct sim_gpu_profile *gpu, struct lab_model *model);

/* --- rows --------------------------------------------------------------------------------------*/

/** What the model needs of a row's main kernel; its launches are taken to be all alike. */
struct lab_model_kernel lab_modelled_kernel(const struct lab_kernel_facts *facts,
                                            const struct sim_gpu_profile *gpu);

/** Gives a modelled time to every row whose counters were taken and whose check passed. A row whose
 *  kernels use local memory gets no time but a note. Only for results of the simulator. */
void lab_modelled_rows(struct lab_result *result);

/* --- what the timing model takes from a row's counters: the work of all its warps --------------*/

enum { LAB_WAVEFRONT_BYTES = 128 }; /**< 32 banks of four bytes */

/** Types with rates of their own on tensor cores. */
enum lab_tensor_type {
    LAB_TENSOR_F16,
    LAB_TENSOR_TF32,
    LAB_TENSOR_F64,
    LAB_TENSOR_8, /**< FP8 and integers of 8 bits, and what is narrower */
    LAB_TENSOR_TYPES
};

/** Work of a whole row, in the counters' units. */
struct lab_model_work {
    double instructions;                                   /**< of warps */
    double fp32, fp64, mufu, integer;                      /**< of threads */
    double mma[LAB_TENSOR_TYPES], wgmma[LAB_TENSOR_TYPES]; /**< products, by the type of A */
    double wavefronts;                                     /**< of shared and global accesses */
    double l2_bytes, dram_bytes;
    double bulk_share;                 /**< of l2_bytes: by bulk copies */
    double atomic_turns;               /**< turns of atomics at all sectors of L2 */
    double slice_turns;                /**< turns at the busiest slice of L2 */
    double float_turns;                /**< turns of float additions, at the busiest sector */
    double shared_atomic_loops;        /**< turns of atomics in shared memory that are loops */
    double l1_misses, l2_misses;       /**< share of the sectors asked for */
    double l1_waits;                   /**< these misses, and hits on lines still being loaded */
    double global_waits, shared_waits; /**< times that warps stop for loads */
    double global_ahead, shared_ahead; /**< instructions between these loads and the stops */
    double copy_waits, copy_ahead;     /**< the same for asynchronous copies */
    double lines_per_wait, lines_per_copy_wait;
    double chain; /**< instructions in chains, each needing the one before */
    double barriers;
    bool has_waits;  /**< the counters say what warps wait for; else a rule of thumb does */
    bool has_caches; /**< else the traffic of L2 and DRAM is unknown, and all loads wait for L2 */
};

/** False if a counter is missing without which there is no figure. */
bool lab_model_read_work(const struct lab_counters *counters, struct lab_model_work *work);

#endif
