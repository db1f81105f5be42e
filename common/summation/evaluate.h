/**
 * @file evaluate.h
 * @brief The second half of an unfused kernel summation, as stage 08.1 has it: the product of all
 * points, evaluated and summed in one kernel, or in two with the evaluated matrix in memory.
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
__attribute__((unused)) static void summation_launch_evaluate(int m, int n, float factor, float *c,
                                                              const float *a_norm,
                                                              const float *b_norm, const float *w,
                                                              float *v, cudaStream_t stream)
{
    auto *kernel = n % 4 == 0 ? summation_evaluate<true> : summation_evaluate<false>;
    kernel<<<(m - 1) / SUMMATION_SUM_ROWS + 1, SUMMATION_SUM_THREADS, 0, stream>>>(
        m, n, factor, c, a_norm, b_norm, w, v);
}

/** G in place of the product C, (m, n); see summation_evaluate(). A block takes whole rows. */
template <bool ALIGNED>
static __global__ void summation_write_evaluated(int m, int n, float factor, float *__restrict__ c,
                                                 const float *__restrict__ a_norm,
                                                 const float *__restrict__ b_norm)
{
    for (unsigned row = blockIdx.x; row < (unsigned)m; row += gridDim.x) {
        const float norm = a_norm[row];
        float *own = c + (size_t)row * n;
        if (ALIGNED)
            for (int col = threadIdx.x * 4; col < n; col += 4 * blockDim.x) { // 16 bytes a thread
                const float4 other = *(const float4 *)&b_norm[col];
                float4 ab = *(const float4 *)&own[col];
                ab.x = summation_gaussian(norm, other.x, ab.x, factor);
                ab.y = summation_gaussian(norm, other.y, ab.y, factor);
                ab.z = summation_gaussian(norm, other.z, ab.z, factor);
                ab.w = summation_gaussian(norm, other.w, ab.w, factor);
                *(float4 *)&own[col] = ab;
            }
        else
            for (int col = threadIdx.x; col < n; col += blockDim.x)
                own[col] = summation_gaussian(norm, b_norm[col], own[col], factor);
    }
}

/** v = G w of G in memory, (m, n). A warp takes a row. */
template <bool ALIGNED>
static __global__ __launch_bounds__(SUMMATION_SUM_THREADS) void summation_gemv(
    int m, int n, const float *__restrict__ g, const float *__restrict__ w, float *__restrict__ v)
{
    const int row = (int)(blockIdx.x * (SUMMATION_SUM_THREADS / 32) + threadIdx.x / 32);
    const int lane = threadIdx.x % 32;
    if (row >= m)
        return;
    const float *const own = g + (size_t)row * n;
    float sum = 0.0f;
    if (ALIGNED)
#pragma unroll 4
        for (int col = lane * 4; col < n; col += 128) {
            const float4 value = __ldcs((const float4 *)&own[col]); // read once
            const float4 weight = *(const float4 *)&w[col];
            sum += value.x * weight.x + value.y * weight.y;
            sum += value.z * weight.z + value.w * weight.w;
        }
    else
        for (int col = lane; col < n; col += 32)
            sum += own[col] * w[col];
    sum = tile_warp_sum(sum);
    if (lane == 0)
        v[row] = sum;
}

/** Enqueues summation_write_evaluated() and summation_gemv(). */
__attribute__((unused)) static void summation_launch_gemv(int m, int n, float factor, float *c,
                                                          const float *a_norm, const float *b_norm,
                                                          const float *w, float *v,
                                                          cudaStream_t stream)
{
    auto *evaluate =
        n % 4 == 0 ? summation_write_evaluated<true> : summation_write_evaluated<false>;
    auto *gemv = n % 4 == 0 ? summation_gemv<true> : summation_gemv<false>;
    evaluate<<<min(m, 16384), 256, 0, stream>>>(m, n, factor, c, a_norm, b_norm);
    gemv<<<(m - 1) / (SUMMATION_SUM_THREADS / 32) + 1, SUMMATION_SUM_THREADS, 0, stream>>>(m, n, c,
                                                                                           w, v);
}

#endif
