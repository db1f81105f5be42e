/**
 * @file norms.h
 * @brief Squared lengths of points, as stage 08.1 computes them.
 */
#ifndef LAB_SUMMATION_NORMS_H
#define LAB_SUMMATION_NORMS_H

#include "tile/reduce.h"

/** Threads of a block of summation_norms(), and the points that each of its warps takes. */
constexpr int SUMMATION_NORM_THREADS = 256, SUMMATION_NORM_POINTS = 8;

/** Squared lengths of all points, the m of `a` and the n of `b`, of k dimensions each. A warp has a
 * point, so that its lanes read neighbours. It takes 8 of them, one after another: to start a block
 * for one point alone costs more than its work. */
static __global__ void summation_norms(int m, int n, int k, const float *__restrict__ a,
                                       const float *__restrict__ b, float *__restrict__ a_norm,
                                       float *__restrict__ b_norm)
{
    constexpr int POINTS = SUMMATION_NORM_POINTS;
    const size_t warp = ((size_t)blockIdx.x * SUMMATION_NORM_THREADS + threadIdx.x) / 32;
    const size_t end = (size_t)m + n; // both sets, one after the other
    for (size_t point = warp * POINTS; point < (warp + 1) * POINTS && point < end; ++point) {
        const float *from = point < (size_t)m ? a + point * k : b + (point - m) * k;
        float sum = 0.0f;
        for (int i = threadIdx.x % 32; i < k; i += 32) // neighbours for neighbouring lanes
            sum += from[i] * from[i];
        sum = tile_warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            *(point < (size_t)m ? &a_norm[point] : &b_norm[point - m]) = sum;
    }
}

/** Enqueues summation_norms(). */
static void summation_launch_norms(int m, int n, int k, const float *a, const float *b,
                                   float *a_norm, float *b_norm, cudaStream_t stream)
{
    const int points = SUMMATION_NORM_THREADS / 32 * SUMMATION_NORM_POINTS; // of a block
    const size_t blocks = ((size_t)m + n - 1) / points + 1;
    summation_norms<<<blocks, SUMMATION_NORM_THREADS, 0, stream>>>(m, n, k, a, b, a_norm, b_norm);
}

#endif
