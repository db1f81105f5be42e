/**
 * @file squaring.h
 * @brief What squaring does around its products: the matrix in whole tiles, and whether a product
 * changed anything. Stage 11.3 derives this.
 */
#ifndef LAB_SEMIRING_SQUARING_H
#define LAB_SEMIRING_SQUARING_H

#include "families/apsp.h"
#include "semiring/tile.h"

/** Flags in front of the matrices in scratch memory: more than one for each product. */
constexpr int SEMIRING_FLAGS = 2 * LAB_APSP_MOST_PRODUCTS;

/** The scratch memory: what each product says to the next, then a matrix, and another one where the
 * output has no whole tiles. */
__attribute__((unused)) static size_t semiring_workspace(const struct lab_apsp *p)
{
    const int size = p->n <= SEMIRING_SMALL ? SEMIRING_SIDE * 4 : SEMIRING_SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    const size_t matrices = padded == (size_t)p->n ? 1 : 2;
    return SEMIRING_FLAGS * sizeof(unsigned) + matrices * padded * padded * lab_apsp_bytes(p->type);
}

/** Copies a matrix to one of whole tiles, with vertices that nothing leads to, or BACK: 64 x 64
 * elements a block. No kernel then asks where the matrix ends. */
template <class S, bool BACK>
static __device__ __forceinline__ void semiring_copy(int n_from, const typename S::element *from,
                                                     int n_to, typename S::element *to)
{
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += SEMIRING_THREADS<S> / 64)
        if (row < n_to && col < n_to) {
            const typename S::element e =
                row < n_from && col < n_from ? from[row * n_from + col] : S::store(S::zero);
            to[row * n_to + col] = BACK ? S::leave(e) : S::enter(e);
        }
}

/** Compares a block's new elements with the old ones at `from`. Bits are compared: a distance that
 * is met again is the same. */
template <class S, class ELEMENT, int VALUES>
static __device__ __forceinline__ void semiring_report(const typename S::word (&c)[VALUES][VALUES],
                                                       const ELEMENT *from, size_t n,
                                                       unsigned *after)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x);
    const int tx = semiring_col<S, VALUES>(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const typename S::four old =
                S::load4(from + semiring_nth(ty, r, SEMIRING_STRIDE_M) * n +
                         semiring_nth(tx, q, SEMIRING_STRIDE_N));
#pragma unroll
            for (int i = 0; i < 4; ++i)
                changed |= c[r][q + i] != old.v[i];
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

#endif
