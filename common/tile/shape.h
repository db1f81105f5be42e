/**
 * @file shape.h
 * @brief The tiles of stage 14.1: a block tile made of warp tiles, made of thread tiles. Stage 14.1
 * derives every number of it.
 */
#ifndef LAB_TILE_SHAPE_H
#define LAB_TILE_SHAPE_H

/** The tiles of a block of WARPS_DOWN x WARPS_ACROSS warps, of 4 x 8 threads each, of ROWS x 8
 * elements of C each. Lengths are in elements. */
template <int ROWS, int WARPS_DOWN, int WARPS_ACROSS> struct tile_shape {
    static constexpr int THREAD_M = ROWS, THREAD_N = 8;                /**< thread tile */
    static constexpr int WARP_M = 4 * THREAD_M, WARP_N = 8 * THREAD_N; /**< warp tile */
    static constexpr int TILE_M = WARP_M * WARPS_DOWN;                 /**< block tile: rows */
    static constexpr int TILE_N = WARP_N * WARPS_ACROSS;               /**< and columns of C */
    static constexpr int TILE_K = 16;                                  /**< k of a panel */
    static constexpr int ACROSS = WARPS_ACROSS;                        /**< warps side by side */
    static constexpr int THREADS = 32 * WARPS_DOWN * WARPS_ACROSS;     /**< threads of a block */
    static constexpr int STRIDE_M = 16; /**< from a thread's run of 4 rows to its next */
    static constexpr int STRIDE_N = 32; /**< likewise of columns */
    static constexpr int STAGES = 3; /**< panels in shared memory: one in use, two on their way */
    static constexpr int LD_A = TILE_M + 4, LD_B = TILE_N; /**< rows of A's and of B's tile */
    static constexpr int A_FLOATS = TILE_K * LD_A;         /**< A's tile; B's follows it */
    static constexpr int STAGE_FLOATS = A_FLOATS + TILE_K * LD_B;            /**< both */
    static constexpr int BYTES = STAGES * STAGE_FLOATS * (int)sizeof(float); /**< shared memory */
};

/** The first row of a thread's tile in the block tile. Lanes 1 apart share columns and lanes 2
 * apart rows: the hardware serves two groups of 8 lanes of a 16-byte load in one wavefront if all
 * lanes 1 apart, or all lanes 2 apart, want the same address. */
template <class S> static __device__ __forceinline__ int tile_thread_row(int thread)
{
    return thread / 32 / S::ACROSS * S::WARP_M + (thread % 2 + thread / 4 % 2 * 2) * 4;
}

/** Its first column. */
template <class S> static __device__ __forceinline__ int tile_thread_col(int thread)
{
    return thread / 32 % S::ACROSS * S::WARP_N + (thread / 2 % 2 + thread % 32 / 8 * 2) * 4;
}

#endif
