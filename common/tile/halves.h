/**
 * @file halves.h
 * @brief Splits the operands of a product in halves, for stages 15.5 and 15.6.
 *
 * Each row of A and each column of B is scaled by a power of two of its own, and split as in
 * split.h. Both lie along k afterwards: B is transposed.
 */
#ifndef LAB_TILE_HALVES_H
#define LAB_TILE_HALVES_H

#include "families/gemm.h"
#include "tile/split.h"

#include <limits.h>

/** The halves of a matrix of `lines` lines along k: rows of A, or columns of B. */
struct tile_halves {
    int lines, k, row; /**< row: halves of a line, two for each k up to a multiple of 32 */
    half *parts;       /**< (line, k / 32, large or small, k % 32) */
    unsigned *largest; /**< of a line: the bits of its largest finite magnitude */
};

constexpr int TILE_SPLIT_THREADS = 128;
constexpr int TILE_SPLIT_K = 64, TILE_SPLIT_LINES = 32; // of a block that splits B

// Splits two neighbours of a line and stores them.
static __device__ __forceinline__ void tile_split(const tile_halves &to, int line, int k, float x,
                                                  float y, float scale)
{
    half2 *const at = (half2 *)(to.parts + (size_t)line * to.row + k / 32 * 64 + k % 32);
    tile_split_pair(at, at + 16, x, y, scale);
}

/** A's, a block for each row. */
static __global__ __launch_bounds__(TILE_SPLIT_THREADS) void tile_split_rows(const float *a,
                                                                             const tile_halves to)
{
    __shared__ unsigned of_warp[TILE_SPLIT_THREADS / 32];
    const int line = blockIdx.x;
    const float *const row = a + (size_t)line * to.k;
    unsigned largest = 0;
    for (int k = threadIdx.x; k < to.k; k += TILE_SPLIT_THREADS)
        largest = max(largest, tile_magnitude(row[k]));
    largest = __reduce_max_sync(0xFFFFFFFFu, largest);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = largest;
    __syncthreads();
    for (int warp = 0; warp < TILE_SPLIT_THREADS / 32; ++warp)
        largest = max(largest, of_warp[warp]);
    if (threadIdx.x == 0)
        to.largest[line] = largest;
    const float scale = ldexpf(1.0f, tile_exponent(largest));
    for (int k = threadIdx.x * 2; k < to.row / 2; k += TILE_SPLIT_THREADS * 2)
        tile_split(to, line, k, k < to.k ? row[k] : 0.0f, k + 1 < to.k ? row[k + 1] : 0.0f, scale);
}

/** B's largest elements: of each column, by blocks that have TILE_SPLIT_K rows each. `largest` is 0
 * before. */
static __global__ __launch_bounds__(TILE_SPLIT_THREADS) void tile_find_largest(const float *b,
                                                                               const tile_halves to)
{
    const int across = (to.lines - 1) / TILE_SPLIT_THREADS + 1;
    const int line = (int)blockIdx.x % across * TILE_SPLIT_THREADS + threadIdx.x;
    const int first = (int)blockIdx.x / across * TILE_SPLIT_K;
    unsigned largest = 0;
    if (line >= to.lines)
        return;
#pragma unroll 16
    for (int k = first; k < min(first + TILE_SPLIT_K, to.k); ++k)
        largest = max(largest, tile_magnitude(b[(size_t)k * to.lines + line]));
    atomicMax(&to.largest[line], largest);
}

/** B's, read along rows and written along columns, by way of a tile in shared memory. */
static __global__
__launch_bounds__(TILE_SPLIT_THREADS) void tile_split_columns(const float *b, const tile_halves to)
{
    __shared__ float tile[TILE_SPLIT_K][TILE_SPLIT_LINES + 1];
    const int across = (to.lines - 1) / TILE_SPLIT_LINES + 1, lane = threadIdx.x % 32;
    const int first_line = (int)blockIdx.x % across * TILE_SPLIT_LINES;
    const int first = (int)blockIdx.x / across * TILE_SPLIT_K, warp = threadIdx.x / 32;
#pragma unroll
    for (int k = warp; k < TILE_SPLIT_K; k += TILE_SPLIT_THREADS / 32) {
        const bool is_there = first + k < to.k && first_line + lane < to.lines;
        tile[k][lane] = is_there ? b[(size_t)(first + k) * to.lines + first_line + lane] : 0.0f;
    }
    __syncthreads();
    for (int i = warp; i < TILE_SPLIT_LINES; i += TILE_SPLIT_THREADS / 32)
        if (first_line + i < to.lines && first + 2 * lane < to.row / 2)
            tile_split(to, first_line + i, first + 2 * lane, tile[2 * lane][i],
                       tile[2 * lane + 1][i],
                       ldexpf(1.0f, tile_exponent(to.largest[first_line + i])));
}

static size_t tile_halves_row(const struct lab_gemm *p)
{
    return ((size_t)p->k + 31) / 32 * 64;
}

/** Bytes of scratch memory for the halves of both operands: `workspace` of a variant. */
static size_t tile_halves_bytes(const struct lab_gemm *p)
{
    const size_t each = sizeof(half) * tile_halves_row(p) + sizeof(unsigned);
    return ((size_t)p->m + (size_t)p->n) * each + 2 * 256;
}

// Places the halves of `lines` lines in scratch memory, from *at on.
static tile_halves tile_place_halves(const struct lab_gemm *p, int lines, char **at)
{
    const size_t row = tile_halves_row(p), count = (size_t)lines * row;
    half *const parts = (half *)*at;
    const tile_halves to = {lines, p->k, (int)row, parts, (unsigned *)(parts + count)};
    *at += (sizeof(half) * count + sizeof(unsigned) * lines + 255) / 256 * 256;
    return to;
}

/** Enqueues the splitting of both operands. Returns the launches' status; an error for a k above
 * 2^30, whose rows an int does not count. */
static cudaError_t tile_split_operands(const struct lab_gemm *p, cudaStream_t stream,
                                       tile_halves *a, tile_halves *b)
{
    if (tile_halves_row(p) > INT_MAX) // k above 2^30
        return cudaErrorInvalidValue;
    char *at = (char *)p->workspace;
    *a = tile_place_halves(p, p->m, &at);
    *b = tile_place_halves(p, p->n, &at);
    const int down = (p->k - 1) / TILE_SPLIT_K + 1;
    const cudaError_t status =
        cudaMemsetAsync(b->largest, 0, sizeof(unsigned) * (size_t)p->n, stream);
    if (status != cudaSuccess)
        return status;
    tile_split_rows<<<p->m, TILE_SPLIT_THREADS, 0, stream>>>(p->a, *a);
    tile_find_largest<<<down *((p->n - 1) / TILE_SPLIT_THREADS + 1), TILE_SPLIT_THREADS, 0,
                        stream>>>(p->b, *b);
    tile_split_columns<<<down *((p->n - 1) / TILE_SPLIT_LINES + 1), TILE_SPLIT_THREADS, 0,
                         stream>>>(p->b, *b);
    return cudaGetLastError();
}

#endif
