/**
 * @file copies.h
 * @brief One double or two at a time: asynchronous copies, which step 06 derives, and sums added to
 * B by the 16-byte accesses of stage 07.2.
 */
#ifndef LAB_TRMM_COPIES_H
#define LAB_TRMM_COPIES_H

#include <cuda_pipeline.h>

/** Starts a copy of WIDTH doubles, or of zeros where `is_there` is false: `from` is then not read.
 */
template <int WIDTH>
static __device__ __forceinline__ void trmm_copy(double *to, const double *from, bool is_there)
{
    __pipeline_memcpy_async(to, from, WIDTH * sizeof(double),
                            is_there ? 0 : WIDTH * sizeof(double));
}

/** Waits until all but PENDING of a thread's groups of copies have arrived, in every thread. Then
 * all have read the panel before, too, and it may be overwritten. */
template <int PENDING> static __device__ __forceinline__ void trmm_arrived()
{
    __pipeline_wait_prior(PENDING);
    __syncthreads();
}

/** Adds a thread's sums to its values of B, neighbours in pairs where WIDTH is 2. */
template <int WIDTH, int VALUES>
static __device__ __forceinline__ void trmm_add_to(double *b, int n, int m, int row, int column,
                                                   const double (&sum)[VALUES][VALUES])
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 2) {
            const int y = row + r * 4, x = column + q * 8;
            double *const to = &b[(size_t)y * m + x];
            if (y >= n || x >= m)
                continue;
            if (WIDTH == 2) {
                const double2 old = *(double2 *)to;
                *(double2 *)to = make_double2(old.x + sum[r][q], old.y + sum[r][q + 1]);
            } else {
                to[0] += sum[r][q];
                if (x + 1 < m)
                    to[1] += sum[r][q + 1];
            }
        }
}

#endif
