/* The limits of grids and blocks. */
#include "launch.h"

#include "sim/machine/request.h"

#include <stdint.h>
#include <stdio.h>

bool sim_shape_allowed(const unsigned grid[3], const unsigned block[3], int max_threads, char *why,
                       size_t size)
{
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    const bool has_none = !grid[0] || !grid[1] || !grid[2];
    if (has_none || grid[0] > MAX_GRID_X || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ)
        snprintf(why, size,
                 "a grid of (%u, %u, %u) blocks; each must be 1 or more, and at most (%d, %d, "
                 "%d)%s",
                 grid[0], grid[1], grid[2], MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ,
                 has_none
                     ? "; is a size smaller than a tile divided by the tile's, and not rounded "
                       "up as (n - 1) / tile + 1 is?"
                     : "");
    else if (!threads || block[0] > MAX_BLOCK_X || block[1] > MAX_BLOCK_Y ||
             block[2] > MAX_BLOCK_Z || threads > MAX_BLOCK_THREADS)
        snprintf(why, size, "a block of (%u, %u, %u) threads; at most (%d, %d, %d) and %d in all",
                 block[0], block[1], block[2], MAX_BLOCK_X, MAX_BLOCK_Y, MAX_BLOCK_Z,
                 MAX_BLOCK_THREADS);
    else if (threads > (uint64_t)max_threads)
        snprintf(why, size,
                 "%d threads per block, but it is compiled for at most %d (__launch_bounds__)",
                 (int)threads, max_threads);
    else
        return true;
    return false;
}
