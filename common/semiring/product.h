/**
 * @file product.h
 * @brief The mainloop of a product over a semiring, two k at a time, as stage 11.4 derives it.
 */
#ifndef LAB_SEMIRING_PRODUCT_H
#define LAB_SEMIRING_PRODUCT_H

#include "semiring/tile.h"

/** c = c + a b, the outer product of fragments, of COUNT k, 1 or 2, down one column and up the
 * next: see tile/fragment.h. */
template <class S, int COUNT, int VALUES>
static __device__ __forceinline__ void semiring_outer_product(word (&c)[VALUES][VALUES],
                                                              const word (&a)[COUNT][VALUES],
                                                              const word (&b)[COUNT][VALUES])
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

/** c = c + A B, as S adds and multiplies, for a tile: A begins at `a`, with the tile's first row, B
 * at `b`, with its first column; both have rows of n elements, and k is a multiple of the tile's.
 */
template <class S, int VALUES>
static __device__ __forceinline__ void
semiring_product(word (&c)[VALUES][VALUES], semiring_tiles<S, VALUES> &tiles,
                 const typename S::element *a, const typename S::element *b, size_t n, int k)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int thread = threadIdx.x;
    const int ty = semiring_row<S, VALUES>(thread), tx = semiring_col<S, VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next[1], b_next;
    semiring_load<S, VALUES>(a_next, b_next, a, b, n);
    semiring_store(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll(VALUES == 8 && !S::ADDS_THREE ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            semiring_load<S, VALUES>(a_next, b_next, a, b, n);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_fragment[2][VALUES], b_fragment[2][VALUES];
            semiring_load_fragment(a_fragment[0], &tiles.a[now][i][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[0], &tiles.b[now][i][tx], SEMIRING_STRIDE_N);
            semiring_load_fragment(a_fragment[1], &tiles.a[now][i + 1][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[1], &tiles.b[now][i + 1][tx], SEMIRING_STRIDE_N);
            semiring_outer_product<S>(c, a_fragment, b_fragment);
        }
        now = 1 - now; // what was filled is read next
        semiring_store(tiles, now, a_next,
                       b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

#endif
