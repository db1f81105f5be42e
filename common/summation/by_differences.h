/**
 * @file by_differences.h
 * @brief A kernel summation of any size and bandwidth, for what does not fit a faster kernel.
 */
#ifndef LAB_SUMMATION_BY_DIFFERENCES_H
#define LAB_SUMMATION_BY_DIFFERENCES_H

#include "families/kernel_summation.h"
#include "tile/reduce.h"

/** The sum of a source over the targets that begin at `other`, from differences of points in place
 * of their product, by a warp. All of its lanes have it. */
__attribute__((unused)) static __device__ __forceinline__ float
summation_of_differences(const float *own, const float *other, const float *weights, int targets,
                         int k, int lane, float factor)
{
    float sum = 0.0f;
    for (int target = 0; target < targets; ++target, other += k) {
        float distance = 0.0f;
        for (int i = lane; i < k; i += 32)
            distance += (own[i] - other[i]) * (own[i] - other[i]); // no difference of large numbers
        sum += expf(factor * tile_warp_sum(distance)) * weights[target];
    }
    return sum;
}

/** v = G w, of any size. Slow: a warp, which is a block, has a source. */
__attribute__((unused)) static __global__ void
summation_by_differences(struct lab_kernel_summation p, float factor)
{
    const float sum = summation_of_differences(p.a + (size_t)blockIdx.x * p.k, p.b, p.w, p.n, p.k,
                                               threadIdx.x, factor);
    if (threadIdx.x == 0)
        p.v[blockIdx.x] = sum;
}

#endif
