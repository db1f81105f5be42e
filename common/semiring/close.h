/**
 * @file close.h
 * @brief Floyd-Warshall within a tile, in the registers of a block. Stage 11.5 derives this; stage
 * 11.6 puts two elements into a word.
 */
#ifndef LAB_SEMIRING_CLOSE_H
#define LAB_SEMIRING_CLOSE_H

#include "semiring/product.h"

/** Puts row `index` of a thread's words where the others read it. */
template <int VALUES>
static __device__ __forceinline__ void semiring_show_row(const word (&c)[VALUES][VALUES], int index,
                                                         word *shown, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[semiring_nth(first, i, SEMIRING_STRIDE_N)] = c[index][i];
}

/** The same of a column: in pairs the left or the right one of column `index`, in both places. */
template <class S, int VALUES>
static __device__ __forceinline__ void semiring_show_col(const word (&c)[VALUES][VALUES], int index,
                                                         bool right, word *shown, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[semiring_nth(first, i, SEMIRING_STRIDE_M)] =
            S::PER_WORD == 1 ? c[i][index] : __byte_perm(c[i][index], 0, right ? 0x3232 : 0x1010);
}

/**
 * @brief Vertex k + i of a block's tile, k a multiple of 4 words.
 *
 * The threads that hold its row and its column show them in `cross`: rows in 0 and 1 by turns,
 * columns in 2 and 3. Which of a thread's registers these are must be known when compiling, hence a
 * branch for each of its runs of 4.
 */
template <class S, int VALUES>
static __device__ __forceinline__ void semiring_close_vertex(word (&c)[VALUES][VALUES],
                                                             word (*cross)[SEMIRING_SIDE * VALUES],
                                                             int k, int i)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x), tx = semiring_col<S, VALUES>(threadIdx.x);
    word *row = cross[i % 2], *col = cross[2 + i % 2]; // the others may be reading the last ones
    // Its run begins in this row, and in this column of words: of pairs two k are in one.
    const int k_row = k + i / 4 * 4, k_col = k / S::PER_WORD, word_i = i / S::PER_WORD;
    const bool right = i % S::PER_WORD;
    // No thread has both runs of 4 that may hold row k, nor both of a column.
    if (ty == k_row)
        semiring_show_row(c, i % 4, row, tx);
    else if (semiring_nth(ty, VALUES - 4, SEMIRING_STRIDE_M) == k_row)
        semiring_show_row(c, VALUES - 4 + i % 4, row, tx);
    if (tx == k_col)
        semiring_show_col<S>(c, word_i, right, col, ty);
    else if (semiring_nth(tx, VALUES - 4, SEMIRING_STRIDE_N) == k_col)
        semiring_show_col<S>(c, VALUES - 4 + word_i, right, col, ty);
    __syncthreads(); // this cross is complete, and all have read the other one
    word a[1][VALUES], b[1][VALUES];
    semiring_load_fragment(a[0], &col[ty], SEMIRING_STRIDE_M);
    semiring_load_fragment(b[0], &row[tx], SEMIRING_STRIDE_N);
    semiring_outer_product<S>(c, a, b);
}

/** Floyd-Warshall within the tile of a block. */
template <class S, int VALUES>
static __device__ __forceinline__ void semiring_close_tile(word (&c)[VALUES][VALUES],
                                                           word (*cross)[SEMIRING_SIDE * VALUES])
{
    for (int k = 0; k < SEMIRING_SIDE * VALUES; k += 4 * S::PER_WORD) {
#pragma unroll
        for (int i = 0; i < 4 * S::PER_WORD; ++i)
            semiring_close_vertex<S>(c, cross, k, i);
    }
}

#endif
