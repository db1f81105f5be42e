/**
 * @file launches.h
 * @brief Records every kernel launch: which kernel, grid, block and dynamic shared memory.
 *
 * `lab` defines the launch entry points of the CUDA runtime itself and passes each call on, so that
 * the shape of a launch is known exactly, for any kernel file, without asking it.
 */
#ifndef LAB_MEASURE_LAUNCHES_H
#define LAB_MEASURE_LAUNCHES_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/** One launch as it was made. */
struct lab_launch_record {
    const void *function; /**< what cudaFuncGetAttributes() takes */
    dim3 grid, block;
    size_t dynamic_shared; /**< bytes */
    double work;           /**< see lab_launches_set_work(); 0: not taken */
};

/** Finds the real entry points in a loaded CUDA runtime; -1 when one is missing. */
int lab_launches_bind(void);

/** Forgets what was recorded. */
void lab_launches_reset(void);

/** Calls `after` with `context` after every launch from now on; NULL: stops that. */
void lab_launches_watch(void (*after)(void *context), void *context);

/** Launches since the last reset. Only the first of them are kept: see lab_launches_get(). */
int lab_launches_count(void);

/** The i-th launch since the last reset, or NULL past the 16 that are kept. */
const struct lab_launch_record *lab_launches_get(int i);

/** Keeps the work of the i-th launch, in one unit for all launches: milliseconds, or instructions.
 *  Does nothing for launches that are not kept. */
void lab_launches_set_work(int i, double work);

#endif
