/**
 * @file mainloop.h
 * @brief The mainloop of a SYR2K, a multistage pipeline with software pipelining, as stage 10.7
 * derives it.
 */
#ifndef LAB_SYR2K_MAINLOOP_H
#define LAB_SYR2K_MAINLOOP_H

#include "syr2k/panels.h"
#include "tile/fragment.h"

/** Adds the products of panels first .. end - 1 of the square at `corner` to a thread's sums; from
 * panel `half` on A and B are swapped. All threads of the block call it; other threads may read the
 * last panel when it returns, and the last copies, of zeros, may be on their way. The thread's
 * first row in the square is `ty`, of B, its first column `tx`, of A. */
template <int TILE_K, int WIDTH>
static __device__ __forceinline__ void
syr2k_mainloop(double (&sum)[SYR2K_VALUES][SYR2K_VALUES], syr2k_panels<TILE_K> &panel, int n,
               int length, int half, int first, int end, const double *a, const double *b,
               int2 corner, int ty, int tx)
{
    for (int stage = 0; stage < SYR2K_STAGES - 1; ++stage) {
        syr2k_panel_iterator<TILE_K, WIDTH> ahead(n, length, half, end, a, b, corner,
                                                  first + stage);
        ahead.start(panel, stage, 0, 1);
        __pipeline_commit(); // a group of copies for each panel
    }
    __pipeline_wait_prior(SYR2K_STAGES - 2);
    __syncthreads();          // the first panel has arrived, in every thread
    syr2k_fragments value[2]; // of this column, and of the next one on its way
    value[0].load(panel, 0, 0, ty, tx);
    int now = 0, next = SYR2K_STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        syr2k_panel_iterator<TILE_K, WIDTH> ahead(n, length, half, end, a, b, corner,
                                                  i + SYR2K_STAGES - 1);
        const int after = now == SYR2K_STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < TILE_K; ++j) {
            if (j < TILE_K - 1) {
                value[(j + 1) % 2].load(panel, now, j + 1, ty, tx);
            } else if (i + 1 < end) {
                __pipeline_commit();
                __pipeline_wait_prior(SYR2K_STAGES - 2);
                __syncthreads(); // panel i + 1 has arrived, in every thread: its first column is
                                 // read while the last one of panel i, in registers, is used
                value[0].load(panel, after, 0, ty, tx);
            }
            // A few copies at a time, over panel i - 1: all threads read it before the last
            // barrier.
            ahead.start(panel, next, j, TILE_K - 1);
            tile_outer_product(sum, value[j % 2].b, value[j % 2].a);
        }
        now = after;
        next = next == SYR2K_STAGES - 1 ? 0 : next + 1; // the one that was just used
    }
}

#endif
