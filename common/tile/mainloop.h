/**
 * @file mainloop.h
 * @brief The mainloop of stage 14.2, a multistage pipeline: all products of a block tile, or of a
 * part of it along k; and the epilogue of a thread tile.
 */
#ifndef LAB_TILE_MAINLOOP_H
#define LAB_TILE_MAINLOOP_H

#include "ptx/opaque.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/panel_iterator.h"
#include "tile/shape.h"

#include <cuda_pipeline.h>

/**
 * @brief Adds the products of `panels` panels to the thread tile `sum`.
 *
 * The first panel has `first_count` k, the others TILE_K. All threads of the block call it;
 * `shared` has S::BYTES, and other threads may still be reading the last panel when it returns.
 */
template <class S, bool ALIGNED>
static __device__ __forceinline__ void
tile_mainloop(float (&sum)[S::THREAD_M][S::THREAD_N], tile_panel_iterator<S, ALIGNED> &iterator,
              const float *shared, int panels, int first_count, const struct lab_gemm &p)
{
    constexpr int STAGES = S::STAGES, LAST = S::STAGE_FLOATS * (STAGES - 1);
    constexpr int COUNT = iterator.COUNT;
    constexpr int EVERY = COUNT > 20 ? 2 : 4; // k between groups of copies
    constexpr int GROUP = (COUNT - 1) / (S::TILE_K / EVERY) + 1;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < panels)
            iterator.copy_all(4 * S::STAGE_FLOATS * stage, p.n, p.k,
                              stage == 0 ? first_count : S::TILE_K);
        __pipeline_commit(); // a group of copies for each panel; past the last one of nothing
    }
    const int a_from = tile_thread_row<S>(threadIdx.x);
    const int b_from = S::A_FLOATS + tile_thread_col<S>(threadIdx.x);
    const float *now = shared; // the stage in use
    unsigned next = 4 * LAST;  // the stage to be filled, in bytes from the first
    for (int left = panels; left > 0; --left) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the panel has arrived, in every thread, and all have read the one before
        const unsigned k = ptx_opaque(p.k); // else its multiples would be kept in registers
        const float *const a_tile = now + a_from, *const b_tile = now + b_from;
        float a_fragment[2][S::THREAD_M], b_fragment[2][S::THREAD_N]; // of this k and the next one
        tile_load_fragment_here(a_fragment[0], a_tile, S::STRIDE_M);
        tile_load_fragment_here(b_fragment[0], b_tile, S::STRIDE_N);
#pragma unroll
        for (int i = 0; i < S::TILE_K; ++i) {
            if (i % EVERY == 0)
#pragma unroll
                for (int j = 0; j < GROUP; ++j)
                    iterator.copy(i / EVERY * GROUP + j, next, p.n, k, left > STAGES - 1);
            if (i + 1 < S::TILE_K) {
                tile_load_fragment_here(a_fragment[(i + 1) % 2], a_tile + (i + 1) * S::LD_A,
                                        S::STRIDE_M);
                tile_load_fragment_here(b_fragment[(i + 1) % 2], b_tile + (i + 1) * S::LD_B,
                                        S::STRIDE_N);
            }
            tile_outer_product_by_rows(sum, a_fragment[i % 2], b_fragment[i % 2]);
        }
        __pipeline_commit();
        iterator.advance(p.n);
        next = next == 4 * LAST ? 0 : next + 4 * S::STAGE_FLOATS;
        now = now == shared + LAST ? shared : now + S::STAGE_FLOATS;
    }
}

/** Writes the thread tile of the block tile at (first_row, first_col) to C. */
template <class S, bool ALIGNED>
static __device__ __forceinline__ void tile_epilogue(const float (&sum)[S::THREAD_M][S::THREAD_N],
                                                     int first_row, int first_col,
                                                     const struct lab_gemm &p)
{
    const int row = first_row + tile_thread_row<S>(threadIdx.x);
    const int col = first_col + tile_thread_col<S>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
        for (int q = 0; q < S::THREAD_N; q += 4) {
            const int down = r / 4 * S::STRIDE_M + r % 4, across = q / 4 * S::STRIDE_N;
            if (row + down < p.m)
                tile_store4<ALIGNED>(&p.c[(size_t)(row + down) * p.n + col + across],
                                     p.n - col - across, &sum[r][q], p.alpha, p.beta);
        }
}

#endif
