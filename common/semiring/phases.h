/**
 * @file phases.h
 * @brief The phases of a round of Floyd-Warshall in blocks, each what one block does. Stage 11.5
 * derives this.
 */
#ifndef LAB_SEMIRING_PHASES_H
#define LAB_SEMIRING_PHASES_H

#include "semiring/close.h"
#include "semiring/product.h"

/** Phase 1 of the first round: the tile on the diagonal. The later ones phase 3 does. */
template <class S, int VALUES>
static __device__ __forceinline__ void semiring_diagonal(size_t n, typename S::element *d)
{
    __shared__ __align__(16) word cross[4][SEMIRING_SIDE * VALUES];
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    semiring_move_tile<S, false>(c, d, n);
    semiring_close_tile<S>(c, cross);
    semiring_move_tile<S, true>(c, d, n);
}

/** Phase 2: a tile in the row or the column of the diagonal one, a product with it of COUNT k at a
 * time. No other block reads this tile, so it may be written when the product is done. */
template <class S, int COUNT, int VALUES>
static __device__ __forceinline__ void semiring_panel(size_t n, int round, typename S::element *d)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1;                       // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds; // never `round`
    const size_t middle = (size_t)round * SIZE * (n + 1);    // where the diagonal tile begins
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    word c[VALUES][VALUES];
    semiring_move_tile<S, false>(c, d + at, n);
    semiring_product<S, COUNT>(c, tiles, d + (above ? at : middle), d + (above ? middle : at), n,
                               SIZE);
    semiring_move_tile<S, true>(c, d + at, n);
}

/** Phase 3: one of the other tiles, a product of two panels. The first block has the tile that is
 * the next round's diagonal, and closes it while the others are at work. */
template <class S, int COUNT, int VALUES>
static __device__ __forceinline__ void semiring_rest(size_t n, int round, typename S::element *d)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE; // its own tile; the panels lie in `row` and at `middle`
    word c[VALUES][VALUES];
    semiring_move_tile<S, false>(c, d + at, n);
    semiring_product<S, COUNT>(c, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds)
        semiring_close_tile<S>(c, (word(*)[SIZE]) & tiles); // in their place: all have read them
    semiring_move_tile<S, true>(c, d + at, n);
}

#endif
