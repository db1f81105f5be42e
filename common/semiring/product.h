/**
 * @file product.h
 * @brief The mainloop of a product over a semiring, as stage 11.3 derives it, and two k at a time,
 * as stage 11.4 does.
 */
#ifndef LAB_SEMIRING_PRODUCT_H
#define LAB_SEMIRING_PRODUCT_H

#include "semiring/tile.h"

/** c = c + a b, the outer product of fragments, of COUNT k, 1 or 2, down one column and up the
 * next: see tile/fragment.h. */
template <class S, int COUNT, int VALUES>
static __device__ __forceinline__ void
semiring_outer_product(word (&c)[VALUES][VALUES], const word (&a)[COUNT][VALUES],
                       const word (&b)[COUNT][VALUES], int = 0)
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            if constexpr (COUNT == 1)
                c[r][q] = S::multiply_add(c[r][q], a[0][r], b[0][q]);
            else if constexpr (S::ADDS_THREE)
                c[r][q] =
                    S::add3(c[r][q], S::multiply(a[0][r], b[0][q]), S::multiply(a[1][r], b[1][q]));
            else
                c[r][q] =
                    S::multiply_add(S::multiply_add(c[r][q], a[0][r], b[0][q]), a[1][r], b[1][q]);
        }
}

/**
 * @brief c = c + A B, as S adds and multiplies, for a tile, COUNT k at a time.
 *
 * A begins at `a`, with the tile's first row, B at `b`, with its first column. Both have rows of n
 * elements, and k is a multiple of the tile's. A thread's sums are words, or a type that
 * semiring_outer_product() is overloaded for, which is told the number of the fragments' first k.
 */
template <class S, int COUNT, int VALUES, class SUMS, class ELEMENT>
static __device__ __forceinline__ void semiring_product(SUMS &c, semiring_tiles<S, VALUES> &tiles,
                                                        const ELEMENT *a, const ELEMENT *b,
                                                        size_t n, int k, int first_k = 0)
{
    typedef typename S::word tile_word;
    constexpr int ACROSS = semiring_tiles<S, VALUES>::ACROSS, K = semiring_tiles<S, VALUES>::K;
    constexpr bool IS_LONG = sizeof(tile_word) > 4; // unrolled, its loops would be too long
    const int thread = threadIdx.x;
    const int ty = semiring_row<S, VALUES>(thread), tx = semiring_col<S, VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four words in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (ACROSS / 4)) * n + thread % (ACROSS / 4) * 4 * S::PER_WORD;
    int now = 0; // the buffer being read; the other one is being filled
    typename S::four a_next[S::PER_WORD], b_next;
    semiring_load<S, VALUES>(a_next, b_next, a, b, n);
    semiring_store(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll(VALUES == 8 && !(COUNT == 2 && S::ADDS_THREE) ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            semiring_load<S, VALUES>(a_next, b_next, a, b, n);
        }
#pragma unroll(IS_LONG ? 1 : K)
        for (int i = 0; i < K; i += COUNT) {
            tile_word a_fragment[COUNT][VALUES], b_fragment[COUNT][VALUES];
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                semiring_load_fragment(a_fragment[j], &tiles.a[now][i + j][ty], SEMIRING_STRIDE_M);
                semiring_load_fragment(b_fragment[j], &tiles.b[now][i + j][tx], SEMIRING_STRIDE_N);
            }
            semiring_outer_product<S>(c, a_fragment, b_fragment, first_k + next - K + i);
        }
        now = 1 - now;                              // what was filled is read next
        semiring_store(tiles, now, a_next, b_next); // in the last iteration too: nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

#endif
