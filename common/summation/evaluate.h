/**
 * @file evaluate.h
 * @brief The second half of an unfused kernel summation, as stage 08.1 has it: the product of all
 * points, evaluated and summed in one kernel.
 */
#ifndef LAB_SUMMATION_EVALUATE_H
#define LAB_SUMMATION_EVALUATE_H

#include "summation/gaussian.h"
#include "tile/reduce.h"

constexpr int SUMMATION_WARP_ROWS = 2; /**< that a warp sums at a time: a weight is read for both */
constexpr int SUMMATION_SUM_THREADS = 128; /**< of a block: 4 warps, 8 rows */
constexpr int SUMMATION_SUM_ROWS =
    SUMMATION_SUM_THREADS / 32 * SUMMATION_WARP_ROWS; /**< of a block */

/**
 * @brief v = G w, where the evaluated matrix G is never written. C, the product (m, n), is read
 * once.
 *
 * A warp goes along two rows at once, so that each norm and each weight is read for both. A lane
 * sums some of the columns; the 32 sums are added at the end, by shuffles. ALIGNED says that n is a
 * multiple of 4: all rows of C begin on 16 bytes.
 */
template <bool ALIGNED>
static __global__ __launch_bounds__(SUMMATION_SUM_THREADS) void summation_evaluate(
    int m, int n, float factor, const float *__restrict__ c, const float *__restrict__ a_norm,
    const float *__restrict__ b_norm, const float *__restrict__ w, float *__restrict__ v)
{
    const int first =
        (int)(blockIdx.x * SUMMATION_SUM_ROWS + threadIdx.x / 32 * SUMMATION_WARP_ROWS);
    const int lane = threadIdx.x % 32;
    float sum[SUMMATION_WARP_ROWS] = {}, norm[SUMMATION_WARP_ROWS];
    for (int r = 0; r < SUMMATION_WARP_ROWS; ++r)
        norm[r] = first + r < m ? a_norm[first + r] : 0.0f; // read once for the whole row
    if (ALIGNED) {
#pragma unroll 2
        for (int col = lane * 4; col < n; col += 128) { // 512 bytes of each row at a time
            const float4 weight = *(const float4 *)&w[col];
            const float4 other = *(const float4 *)&b_norm[col];
            for (int r = 0; r < SUMMATION_WARP_ROWS; ++r) {
                if (first + r >= m) // the last warp may have one row only
                    continue;
                // Read once, so it need not stay in the caches.
                const float4 ab = __ldcs((const float4 *)&c[(size_t)(first + r) * n + col]);
                sum[r] += summation_gaussian(norm[r], other.x, ab.x, factor) * weight.x;
                sum[r] += summation_gaussian(norm[r], other.y, ab.y, factor) * weight.y;
                sum[r] += summation_gaussian(norm[r], other.z, ab.z, factor) * weight.z;
                sum[r] += summation_gaussian(norm[r], other.w, ab.w, factor) * weight.w;
            }
        }
    } else {
        for (int col = lane; col < n; col += 32) // rows begin anywhere: element by element
            for (int r = 0; r < SUMMATION_WARP_ROWS; ++r)
                if (first + r < m)
                    sum[r] += summation_gaussian(norm[r], b_norm[col],
                                                 c[(size_t)(first + r) * n + col], factor) *
                              w[col];
    }
    for (int r = 0; r < SUMMATION_WARP_ROWS; ++r) {
        const float total = tile_warp_sum(sum[r]);
        if (lane == 0 && first + r < m)
            v[first + r] = total;
    }
}

/** Enqueues summation_evaluate(). */
static void summation_launch_evaluate(int m, int n, float factor, const float *c,
                                      const float *a_norm, const float *b_norm, const float *w,
                                      float *v, cudaStream_t stream)
{
    auto *kernel = n % 4 == 0 ? summation_evaluate<true> : summation_evaluate<false>;
    kernel<<<(m - 1) / SUMMATION_SUM_ROWS + 1, SUMMATION_SUM_THREADS, 0, stream>>>(
        m, n, factor, c, a_norm, b_norm, w, v);
}

#endif
