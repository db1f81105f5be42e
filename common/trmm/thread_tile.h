/**
 * @file thread_tile.h
 * @brief A thread's values of B in a triangular product: where they lie, and what is read of the
 * panels for them. Stage 09.6 derives this.
 */
#ifndef LAB_TRMM_THREAD_TILE_H
#define LAB_TRMM_THREAD_TILE_H

/** The first of a thread's VALUES rows in the tile, which lie 4 apart. A warp has 4 x 8 threads,
 * and 2 warps lie across a tile; lanes 1 apart share columns and lanes 2 apart rows, as in step 07.
 * So for each k a warp reads A in VALUES wavefronts, and B in as many, 2 for each pair. */
template <int VALUES> static __device__ __forceinline__ int trmm_thread_row()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return warp / 2 * (4 * VALUES) + lane / 16 * 2 + lane % 2;
}

/** The first of its columns: pairs, which lie 16 apart. */
template <int VALUES> static __device__ __forceinline__ int trmm_thread_col()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return warp % 2 * (8 * VALUES) + lane / 2 % 8 * 2;
}

/** Copies a thread's values of column k of A's panel and of one row of B's to registers. `a` is the
 * panel from the thread's first row on, `b` the row from its first column on. */
template <int VALUES, int LD>
static __device__ __forceinline__ void
trmm_load_fragments(double (&a_fragment)[VALUES], double (&b_fragment)[VALUES],
                    const double (*a)[LD], int k, const double *b)
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
        a_fragment[r] = a[r * 4][k];
#pragma unroll
    for (int q = 0; q < VALUES; q += 2)
        *(double2 *)&b_fragment[q] = *(const double2 *)&b[q * 8];
}

#endif
