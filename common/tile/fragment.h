/**
 * @file fragment.h
 * @brief The register level of a product. A fragment is what a thread holds of a row of a tile: of
 * A's tile some rows of C, of B's some columns, for one k. Stage 05.2 introduces fragments and
 * their outer product, stage 07.3 the runs of four and the order of the multiply-adds.
 */
#ifndef LAB_TILE_FRAGMENT_H
#define LAB_TILE_FRAGMENT_H

#include "ptx/shared.h"

/** Loads a fragment of COUNT values from a row of a tile in shared memory: runs of neighbours of 16
 * bytes, 4 floats or 2 doubles, `stride` elements apart. */
template <int COUNT>
static __device__ __forceinline__ void tile_load_fragment(float (&fragment)[COUNT],
                                                          const float *tile, int stride)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
        *(float4 *)&fragment[i] = *(const float4 *)&tile[i / 4 * stride];
}

/** The same of doubles. */
template <int COUNT>
static __device__ __forceinline__ void tile_load_fragment(double (&fragment)[COUNT],
                                                          const double *tile, int stride)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 2)
        *(double2 *)&fragment[i] = *(const double2 *)&tile[i / 2 * stride];
}

/** The same of floats, by volatile loads. Between asynchronous copies the compiler would move other
 * loads to right before their use, where nothing hides their latency: these stay here. */
template <int COUNT>
static __device__ __forceinline__ void tile_load_fragment_here(float (&fragment)[COUNT],
                                                               const float *tile, int stride)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
        ptx_read4(&tile[i / 4 * stride], fragment[i], fragment[i + 1], fragment[i + 2],
                  fragment[i + 3]);
}

/**
 * @brief sum += a b', the outer product of two fragments: ROWS x COLS multiply-adds.
 *
 * They go down one column and up the next, so that each has an operand in common with the one
 * before it. Such an operand need not be read from the register file again: the reuse cache holds
 * it. The register file has two banks, and a multiply-add that reads three registers takes an issue
 * slot more than one that reads two (measured, see step 14).
 */
template <class T, int ROWS, int COLS>
static __device__ __forceinline__ void tile_outer_product(T (&sum)[ROWS][COLS], const T (&a)[ROWS],
                                                          const T (&b)[COLS])
{
#pragma unroll
    for (int j = 0; j < COLS; ++j)
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
            const int r = j % 2 ? ROWS - 1 - i : i;
            sum[r][j] += a[r] * b[j];
        }
}

/** The same along one row and back along the next. With 12 x 8 values the compiler reuses more
 * operands in this order: the machine code has more of them marked `.reuse`. */
template <int ROWS, int COLS>
static __device__ __forceinline__ void
tile_outer_product_by_rows(float (&sum)[ROWS][COLS], const float (&a)[ROWS], const float (&b)[COLS])
{
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLS; ++j) {
            const int q = i % 2 ? j : COLS - 1 - j;
            sum[i][q] += a[i] * b[q];
        }
}

#endif
