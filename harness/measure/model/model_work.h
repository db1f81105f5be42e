/**
 * @file model_work.h
 * @brief What the timing model takes from a row's counters: the work of all its warps.
 */
#ifndef LAB_MODEL_WORK_H
#define LAB_MODEL_WORK_H

#include "measure/counters/counters.h"

#include <stdbool.h>

enum { LAB_WAVEFRONT_BYTES = 128 }; /**< 32 banks of four bytes */

/** Work of a whole row, in the counters' units. */
struct lab_model_work {
    double instructions;              /**< of warps */
    double fp32, fp64, mufu, integer; /**< of threads */
    double wavefronts;                /**< of shared and global accesses */
    double l2_bytes, dram_bytes;
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
