/**
 * @file finish.h
 * @brief The second kernel of a SYR2K by split-K: it reduces the parts of D and adds D and its
 * mirror image, as stage 10.5 does.
 */
#ifndef LAB_SYR2K_FINISH_H
#define LAB_SYR2K_FINISH_H

#include "tile/grid.h"

constexpr int SYR2K_FINISH_SIDE =
    16; /**< a block of syr2k_finish() has this many threads squared */

/** Element (row, col) of D, (parts, n, n): the sum of its parts, in their order. */
static __device__ double syr2k_sum_of_parts(const double *d, int n, int parts, int row, int col)
{
    double sum = 0.0;
#pragma unroll 8
    for (int part = 0; part < parts; ++part)
        sum += d[((size_t)part * n + row) * n + col];
    return sum;
}

/** C[k][l] = (D[k][l] + D[l][k]) / 2, for k <= l. The mirrored tile is read along its rows and
 * transposed in shared memory: neighbours stay neighbours in global memory. Its padded rows keep
 * reads down a column in different banks. */
static __global__ __launch_bounds__(SYR2K_FINISH_SIDE *SYR2K_FINISH_SIDE) void syr2k_finish(
    int n, int parts, const double *d, double *c)
{
    __shared__ double mirrored[SYR2K_FINISH_SIDE][SYR2K_FINISH_SIDE + 1];
    const int2 first = tile_corner(n, SYR2K_FINISH_SIDE);
    if (first.y > first.x) // below the diagonal: nothing of C is wanted there
        return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int k = first.y + y, l = first.x + x;
    if (first.x + y < n && first.y + x < n)
        mirrored[y][x] = syr2k_sum_of_parts(d, n, parts, first.x + y, first.y + x);
    __syncthreads(); // the mirrored tile is complete
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * (syr2k_sum_of_parts(d, n, parts, k, l) + mirrored[x][y]);
}

/** Enqueues syr2k_finish(). */
static void syr2k_launch_finish(int n, int parts, const double *d, double *c, cudaStream_t stream)
{
    const int tiles = tile_count(n, SYR2K_FINISH_SIDE);
    const dim3 threads(SYR2K_FINISH_SIDE, SYR2K_FINISH_SIDE);
    syr2k_finish<<<tiles * tiles, threads, 0, stream>>>(n, parts, d, c);
}

#endif
