/**
 * @file readers.h
 * @brief A write-after-read dependency between blocks: their numbers, and the wait for all readers,
 * so that a product can be computed in place. Stage 09.5 derives this.
 */
#ifndef LAB_TILE_READERS_H
#define LAB_TILE_READERS_H

/** Numbers blocks as they start: *counter begins at 0, and *shared, in shared memory, gets the
 * number. CUDA promises no order of blocks: with blockIdx.x for the number, a block might wait for
 * one that cannot start while it waits. All threads of the block call it. */
__attribute__((unused)) static __device__ __forceinline__ void tile_number_block(unsigned *counter,
                                                                                 unsigned *shared)
{
    if (threadIdx.x == 0)
        *shared = atomicAdd(counter, 1u);
    __syncthreads(); // the number is known to all
}

/** Waits until the blocks of all tiles above this one have counted themselves: readers[], as below.
 * The barrier at its end also puts this block's own reads of the tile before its writes. */
__attribute__((unused)) static __device__ __forceinline__ void
tile_wait_for_counts(unsigned *readers, int tile, int panel, int panels)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(&readers[(size_t)tile * panels + panel], 0u) < (unsigned)tile)
            __nanosleep(100);
        __threadfence(); // what is written comes after the wait
    }
    __syncthreads(); // the others wait for thread 0
}

/**
 * @brief Waits until a tile of B may be changed: until the blocks of every tile above it in this
 * panel of columns have read their rows of it.
 *
 * readers[] (tiles, panels) counts these; all begin at 0. A block adds itself for each tile below
 * its own when it has read them all, and waits for its own tile's count. It waits only for blocks
 * of lower number, which run already: numbers are taken as blocks start. So the wait ends, and
 * since tiles are numbered from the top, where rows are longest, it is short. All threads of the
 * block call it.
 */
__attribute__((unused)) static __device__ __forceinline__ void
tile_wait_for_readers(unsigned *readers, int tile, int tiles, int panel, int panels)
{
    __syncthreads(); // every thread of this block has read all that it needs
    __threadfence(); // what was read comes before the count, for other blocks too
    for (int t = tile + 1 + (int)threadIdx.x; t < tiles; t += (int)blockDim.x)
        atomicAdd(&readers[(size_t)t * panels + panel], 1u);
    tile_wait_for_counts(readers, tile, panel, panels);
}

#endif
