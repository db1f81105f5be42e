/**
 * @file by_differences.h
 * @brief A kernel summation of any size and bandwidth, for what does not fit a faster kernel.
 */
#ifndef LAB_SUMMATION_BY_DIFFERENCES_H
#define LAB_SUMMATION_BY_DIFFERENCES_H

#include "families/kernel_summation.h"
#include "tile/reduce.h"

/** v = G w, from differences of points in place of their product. Slow: a warp, which is a block,
 * has a source. */
__attribute__((unused)) static __global__ void
summation_by_differences(struct lab_kernel_summation p, float factor)
{
    const float *own = p.a + (size_t)blockIdx.x * p.k, *other = p.b;
    float sum = 0.0f;
    for (int target = 0; target < p.n; ++target, other += p.k) {
        float distance = 0.0f;
        for (int i = threadIdx.x; i < p.k; i += 32)
            distance += (own[i] - other[i]) * (own[i] - other[i]); // no difference of large numbers
        sum += expf(factor * tile_warp_sum(distance)) * p.w[target];
    }
    if (threadIdx.x == 0)
        p.v[blockIdx.x] = sum;
}

#endif
