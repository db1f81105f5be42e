/**
 * @file stream_k.h
 * @brief The work decomposition of stages 14.3, 14.4 and 15.6, and the partial sums of a tile that
 * blocks share: stream-K (Osama, Merrill, Cecka, Garland and Owens, 2023) after whole waves of
 * tiles.
 */
#ifndef LAB_TILE_STREAM_K_H
#define LAB_TILE_STREAM_K_H

#include "ptx/launch_early.h"

/** An iteration is a panel of a tile. The first `blocks` blocks share the iterations of the first
 * `tiles` tiles, as many each, in order; every other block has a tile of its own. */
struct tile_stream_k {
    int tiles_down, tiles_across; /**< of C */
    int iterations;               /**< of each tile */
    int tiles, blocks;            /**< the first `tiles` are divided among the first `blocks` */
    bool fixup; /**< the block with a tile's last iteration adds the partial sums; else a kernel */

    /** Bytes at the beginning of scratch memory: a flag for each block, that its partial sums are
     * there; in 15.6 how many of its consumers have stored theirs. */
    __host__ __device__ size_t flag_bytes() const
    {
        return (blocks * sizeof(unsigned) + 255) / 256 * 256;
    }
    /** The first iteration of a block, of all iterations of the divided tiles. */
    __host__ __device__ int first_iteration(int block) const
    {
        const int each = tiles * iterations / blocks, longer = tiles * iterations % blocks;
        return block * each + min(block, longer); // the first ones have one more
    }
    /** The block that has an iteration. */
    __device__ int block_of(int iteration) const
    {
        const int each = tiles * iterations / blocks, longer = tiles * iterations % blocks;
        return iteration < longer * (each + 1) ? iteration / (each + 1)
                                               : longer + (iteration - longer * (each + 1)) / each;
    }
};

/** What a block does of one tile. */
struct tile_work_unit {
    int tile;       /**< its number */
    int first;      /**< of the tile's iterations */
    int iterations; /**< how many */
};

/** The work unit of a block with the last iteration before `end`. */
__attribute__((unused)) static __device__ __forceinline__ tile_work_unit
tile_work_unit_at(const tile_stream_k &s, int block, int end)
{
    if (block >= s.blocks)
        return {s.tiles + block - s.blocks, 0, s.iterations};
    const int tile = (end - 1) / s.iterations;
    const int first = max(s.first_iteration(block) - tile * s.iterations, 0);
    return {tile, first, end - tile * s.iterations - first};
}

/** Where in scratch memory the partial sums lie of a block's work unit that ends before iteration
 * `end`: `count` floats. A block has two such units at most: of the tile that it begins with, and
 * of the one that it ends with. */
__attribute__((unused)) static __device__ __forceinline__ float *
tile_partial_sums(void *workspace, const tile_stream_k &s, int block, int end, size_t count)
{
    const size_t number = 2 * block + (end == s.first_iteration(block + 1) ? 0 : 1);
    return (float *)((char *)workspace + s.flag_bytes()) + number * count;
}

/** Writes a thread's partial sums and, for the fix-up, raises the block's flag. The whole block
 * calls it. */
template <class S>
static __device__ __forceinline__ void
tile_store_partial_sums(const float (&sum)[S::THREAD_M][S::THREAD_N], void *workspace,
                        const tile_stream_k &s, int block, int end)
{
    float *const partial =
        tile_partial_sums(workspace, s, block, end, S::TILE_M * S::TILE_N) + threadIdx.x;
#pragma unroll
    for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
        for (int q = 0; q < S::THREAD_N; ++q)
            partial[(r * S::THREAD_N + q) * S::THREADS] = sum[r][q];
    if (s.fixup) {
        __threadfence(); // the partial sums are there before the flag says so
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx_wait_for_earlier(); // the flags are clear
            atomicExch(&((unsigned *)workspace)[block], 1);
        }
    }
}

/** The fix-up: adds the partial sums of the blocks from `first` up to the one before `block`, as
 * soon as its flag is raised: each began with this tile. The whole block calls it. */
template <class S>
static __device__ __forceinline__ void tile_fixup(float (&sum)[S::THREAD_M][S::THREAD_N],
                                                  void *workspace, const tile_stream_k &s,
                                                  int first, int block)
{
    for (int other = block - 1; other >= first; --other) {
        if (threadIdx.x == 0) {
            ptx_wait_for_earlier();
            while (atomicAdd(&((unsigned *)workspace)[other], 0) == 0)
                ;
            __threadfence(); // the partial sums are read after this fence
        }
        __syncthreads();
        const float *const partial =
            tile_partial_sums(workspace, s, other, s.first_iteration(other + 1),
                              S::TILE_M * S::TILE_N) +
            threadIdx.x;
#pragma unroll
        for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
            for (int q = 0; q < S::THREAD_N; ++q)
                sum[r][q] += __ldcg(&partial[(r * S::THREAD_N + q) * S::THREADS]);
    }
}

#endif
