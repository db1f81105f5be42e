/**
 * @file dmma.h
 * @brief Products of doubles on tensor cores: a block tile of warp tiles, copied as the operands
 * lie in memory. Stage 12.9 derives this.
 */
#ifndef LAB_TILE_DMMA_H
#define LAB_TILE_DMMA_H

#include "ptx/tensor.h"

#include <cuda_pipeline.h>

/** A block tile of DOWN x ACROSS warps, of ROWS_M x COLUMNS_N instructions each. */
template <int ROWS_M, int COLUMNS_N, int DOWN, int ACROSS> struct tile_dmma_shape {
    static constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;  /**< of one instruction */
    static constexpr int ROWS = ROWS_M, COLUMNS = COLUMNS_N; /**< instructions of a warp */
    static constexpr int WARP_M = ROWS_M * MMA_M;            /**< warp tile */
    static constexpr int WARP_N = COLUMNS_N * MMA_N;         /**< 128 registers of sums at most */
    static constexpr int TILE_M = DOWN * WARP_M, TILE_N = ACROSS * WARP_N; /**< block tile */
    static constexpr int TILE_K = 16;                                      /**< k of a panel */
    static constexpr int STEPS = TILE_K / MMA_K; /**< instructions along it */
    static constexpr int STAGES = 3; /**< panels in shared memory: one in use, two on their way */
    static constexpr int THREADS = 32 * DOWN * ACROSS; /**< of a block */
    static constexpr int PARTS = STEPS * ROWS - 1;     /**< of a panel's copies */
    static_assert(ROWS_M % 2 == 0 && PARTS > 0, "two fragments of A take turns");

    /** First row of this thread's warp in the block tile, and first column. */
    static __device__ __forceinline__ int warp_row()
    {
        return (int)threadIdx.x / 32 / ACROSS * WARP_M;
    }
    static __device__ __forceinline__ int warp_col()
    {
        return (int)threadIdx.x / 32 % ACROSS * WARP_N;
    }
};

/**
 * @brief A panel of an operand in shared memory, SIDE rows of A or columns of B by S::TILE_K, in
 * lines as it lies in memory: along k or across.
 *
 * A lane reads element (g, t) or (t, g) of a fragment, one double; half a warp at once, so 4 g and
 * 4 t. Lines are 4 doubles longer than a multiple of 16, the doubles in all banks: these 16 lie in
 * different ones either way.
 */
template <class S, int SIDE, bool ALONG_K> struct tile_dmma_panel {
    static constexpr int LENGTH = ALONG_K ? S::TILE_K : SIDE; /**< of a line */
    static constexpr int LINES = ALONG_K ? SIDE : S::TILE_K;
    static constexpr int LD = LENGTH + 4;      /**< from line to line */
    static constexpr int DOUBLES = LINES * LD; /**< of a panel */
    static_assert(LENGTH % 16 == 0, "no bank conflicts");

    /** Where element (side, k) lies. */
    static __device__ __forceinline__ constexpr int place(int side, int k)
    {
        return ALONG_K ? side * LD + k : k * LD + side;
    }

    /** Starts part `part` of a thread's copies of k `first_k` .. end_k - 1 of an operand, WIDTH
     * neighbours each, from row or column `first` on: x holds `extent` of them. Zeros past the
     * edges, which must be multiples of WIDTH. */
    template <int WIDTH>
    static __device__ __forceinline__ void copy(double *tile, const double *x, long long ld,
                                                int first, int extent, int first_k, int end_k,
                                                int part)
    {
        constexpr int ACROSS = LENGTH / WIDTH, NEXT = S::THREADS / ACROSS, COUNT = LINES / NEXT;
        static_assert(NEXT * ACROSS == S::THREADS && COUNT * NEXT == LINES, "all copy as many");
        const int line = (int)threadIdx.x / ACROSS, inner = (int)threadIdx.x % ACROSS * WIDTH;
        const int lines = (ALONG_K ? extent - first : end_k - first_k) - line; // from its first on
        const int length = (ALONG_K ? end_k - first_k : extent - first) - inner;
        const int there = length > 0 ? lines : 0; // a copy's elements are all there, or none is
        const double *const from =
            x + ((ALONG_K ? first : first_k) + line) * ld + (ALONG_K ? first_k : first) + inner;
#pragma unroll
        for (int i = part * COUNT / S::PARTS; i < (part + 1) * COUNT / S::PARTS; ++i) {
            __pipeline_memcpy_async(&tile[(line + i * NEXT) * LD + inner], from + i * NEXT * ld,
                                    WIDTH * sizeof(double),
                                    i * NEXT < there ? 0 : WIDTH * sizeof(double));
        }
    }
};

/** What a lane holds of a warp tile: see ptx_mma_f64(). */
template <class S> using tile_dmma_sums = double[S::ROWS][S::COLUMNS][4];

/**
 * @brief Adds the product of `panels` panels to the sums.
 *
 * `memory` has room for S::STAGES times a panel of A and one of B. copy(a, b, panel, part) starts
 * part `part` of S::PARTS of a thread's copies of a panel; past the last panel too, of zeros. When
 * this returns, such copies may be on their way.
 */
template <class A, class B, class S, class COPY>
static __device__ __forceinline__ void tile_dmma_mainloop(tile_dmma_sums<S> &sum, double *memory,
                                                          int panels, const COPY &copy)
{
    constexpr int STAGE = A::DOUBLES + B::DOUBLES;
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int of_a = A::place(S::warp_row() + g, t);
    const int of_b = A::DOUBLES + B::place(S::warp_col() + g, t);
    double a[2][S::MMA_K / 2], b[S::COLUMNS][S::MMA_K / 4];
    const auto load_a = [&](double(&to)[S::MMA_K / 2], const double *stage, int step, int row) {
#pragma unroll
        for (int i = 0; i < S::MMA_K / 2; ++i)
            to[i] = stage[of_a + A::place(row * S::MMA_M + i % 2 * 8, step * S::MMA_K + i / 2 * 4)];
    };
    const auto load_b = [&](const double *stage, int step, int col) {
#pragma unroll
        for (int i = 0; i < S::MMA_K / 4; ++i)
            b[col][i] = stage[of_b + B::place(col * S::MMA_N, step * S::MMA_K + i * 4)];
    };
#pragma unroll
    for (int stage = 0; stage < S::STAGES - 1; ++stage) {
        double *const to = memory + stage * STAGE;
#pragma unroll
        for (int part = 0; part < S::PARTS; ++part)
            copy(to, to + A::DOUBLES, stage, part);
        __pipeline_commit(); // a group of copies for each panel
    }
    __pipeline_wait_prior(S::STAGES - 2);
    __syncthreads(); // the first panel has arrived, in every thread
    load_a(a[0], memory, 0, 0);
#pragma unroll
    for (int j = 0; j < S::COLUMNS; ++j)
        load_b(memory, 0, j);
    int now = 0, next = S::STAGES - 1; // stages: in use, and to be filled
    for (int panel = 0; panel < panels; ++panel) {
        const int after = now == S::STAGES - 1 ? 0 : now + 1;
        double *const to = memory + next * STAGE;
#pragma unroll
        for (int at = 0; at < S::STEPS * S::ROWS; ++at) {
            const int row = at % S::ROWS;
            const bool is_last = at == S::PARTS, is_last_row = row == S::ROWS - 1;
            if (!is_last) { // over the panel before: all threads read it before the last barrier
                copy(to, to + A::DOUBLES, panel + S::STAGES - 1, at);
            } else {
                __pipeline_commit();
                __pipeline_wait_prior(S::STAGES - 2);
                __syncthreads(); // the next panel has arrived, in every thread, and this one has
                                 // been read: what is left of it is in registers
            }
            const double *const from = memory + (is_last ? after : now) * STAGE;
            const int step = is_last ? 0 : (at + 1) / S::ROWS;
            load_a(a[(at + 1) % 2], from, step, (at + 1) % S::ROWS);
#pragma unroll
            for (int j = 0; j < S::COLUMNS; ++j) {
                ptx_mma_f64(sum[row][j], a[at % 2], b[j]);
                if (is_last_row && j > 0) // the last use of these columns is over
                    load_b(from, step, j - 1);
            }
            if (is_last_row)
                load_b(from, step, S::COLUMNS - 1);
        }
        next = now;
        now = after;
    }
}

/** Does store(row, col, pair) for each pair of neighbours in a row that this lane has sums of. */
template <class S, class STORE>
static __device__ __forceinline__ void tile_dmma_for_each(tile_dmma_sums<S> &sum,
                                                          const STORE &store)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < S::ROWS; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int j = 0; j < S::COLUMNS; ++j)
                store(S::warp_row() + i * S::MMA_M + half * 8 + g,
                      S::warp_col() + j * S::MMA_N + 2 * t, &sum[i][j][2 * half]);
}

#endif
