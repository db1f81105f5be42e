/**
 * @file grid.h
 * @brief Tiles of a square matrix and the blocks that have them: the grid of step 10.
 */
#ifndef LAB_TILE_GRID_H
#define LAB_TILE_GRID_H

/** Tiles of `side` elements in one dimension of n. */
__attribute__((unused)) static __host__ __device__ constexpr int tile_count(int n, int side)
{
    return (n - 1) / side + 1;
}

/** First column (x) and row (y) of the tile of this block. Blocks are numbered row by row: a grid's
 * y side ends at 65535. */
__attribute__((unused)) static __device__ int2 tile_corner(int n, int side)
{
    return make_int2((int)blockIdx.x % tile_count(n, side) * side,
                     (int)blockIdx.x / tile_count(n, side) * side);
}

#endif
