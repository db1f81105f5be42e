/**
 * @file by_differences.h
 * @brief A kernel summation of any size and bandwidth, for what does not fit a faster kernel.
 */
#ifndef LAB_SUMMATION_BY_DIFFERENCES_H
#define LAB_SUMMATION_BY_DIFFERENCES_H

#include "families/kernel_summation.h"
#include "tile/reduce.h"

/** The sum of a source over targets from `first` to `end`, from differences of points in place of
 * their product. All lanes of a warp have it. */
__attribute__((unused)) static __device__ __forceinline__ float
summation_of_differences(const struct lab_kernel_summation &p, int source, int first, int end,
                         float factor)
{
    const float *own = p.a + (size_t)source * p.k, *other = p.b + (size_t)first * p.k;
    float sum = 0.0f;
    for (int target = first; target < end; ++target, other += p.k) {
        float distance = 0.0f;
        for (int i = threadIdx.x % 32; i < p.k; i += 32)
            distance += (own[i] - other[i]) * (own[i] - other[i]); // no difference of large numbers
        sum += expf(factor * tile_warp_sum(distance)) * p.w[target];
    }
    return sum;
}

/** v = G w, of any size. Slow: a warp, which is a block, has a source. */
__attribute__((unused)) static __global__ void
summation_by_differences(struct lab_kernel_summation p, float factor)
{
    const float sum = summation_of_differences(p, (int)blockIdx.x, 0, p.n, factor);
    if (threadIdx.x == 0)
        p.v[blockIdx.x] = sum;
}

#endif
