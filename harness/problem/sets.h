/**
 * @file sets.h
 * @brief More sets of a problem's inputs and outputs, as far as device memory goes.
 */
#ifndef LAB_SETS_H
#define LAB_SETS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

struct lab_problem;

/** How a family keeps its sets, numbered from 0. */
struct lab_sets {
    int *count;   /**< sets that there are */
    int most;     /**< that there is room for */
    size_t bytes; /**< device bytes of one more */
    /** Makes a set whose place is all zero; what it leaves undone destroy() takes away. */
    cudaError_t (*create)(struct lab_problem *problem, int set);
    /** Frees a set and leaves its place all zero. */
    void (*destroy)(struct lab_problem *problem, int set);
};

/** Adds sets until there are `wanted`, while one takes less than half of the free device memory;
 *  returns how many there are. Fewer is not an error. */
int lab_sets_reserve(struct lab_problem *problem, const struct lab_sets *sets, int wanted);

#endif
