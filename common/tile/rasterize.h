/**
 * @file rasterize.h
 * @brief The order in which blocks take the tiles of C: rasterization with a swizzle.
 */
#ifndef LAB_TILE_RASTERIZE_H
#define LAB_TILE_RASTERIZE_H

/**
 * @brief The row and the column of a tile, both counted in tiles.
 *
 * Blocks start in the order of their numbers, so that those at work at the same time have
 * neighbouring tiles. In row-major order these would be one long row of tiles: a strip of A and all
 * of B. Here `group` rows of tiles go together, column by column. The tiles of a wave are then
 * about as many down as across: its blocks read less of A and B, and find more of that in L2.
 */
__attribute__((unused)) static __device__ __forceinline__ void
tile_rasterize(int tiles_down, int tiles_across, int group, int tile, int *row, int *col)
{
    const int of_group = group * tiles_across, first = tile / of_group * group;
    const int high = min(tiles_down - first, group);
    *row = first + tile % of_group % high;
    *col = tile % of_group / high;
}

#endif
