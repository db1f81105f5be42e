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
    double atomic_turns;               /**< of all sectors in L2 */
    double slice_turns;                /**< of its busiest slice */
    double float_turns;                /**< of additions of floats, at the busiest sector */
    double shared_atomic_loops;        /**< turns of atomics in shared memory that are loops */
    double l1_misses, l2_misses;       /**< share of the sectors asked for */
    double l1_waits;                   /**< those, and hits on lines that are still being loaded */
    double global_waits, shared_waits; /**< times that warps stop for loads */
    double global_ahead, shared_ahead; /**< instructions between those loads and the stops */
    double copy_waits, copy_ahead;     /**< the same of asynchronous copies */
    double lines_per_wait, lines_per_copy_wait;
    double chain; /**< instructions in chains, each needing the one before */
    double barriers;
    bool has_waits;  /**< the counters say what warps wait for; else a rule of thumb does */
    bool has_caches; /**< else the traffic of L2 and DRAM is unknown, and all loads wait for L2 */
};

/** False when a counter is missing without which no figure says anything. */
bool lab_model_read_work(const struct lab_counters *counters, struct lab_model_work *work);

#endif
