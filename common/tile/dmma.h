/**
 * @file dmma.h
 * @brief Products of doubles on tensor cores: a block tile of warp tiles, copied as the operands
 * lie in memory. Stage 12.9 derives this.
 */
#ifndef LAB_TILE_DMMA_H
#define LAB_TILE_DMMA_H

#include "ptx/mbarrier.h"
#include "ptx/opaque.h"
#include "ptx/tensor.h"

#include <cuda_pipeline.h>

/** A block tile of DOWN x ACROSS warps, of ROWS_M x COLUMNS_N instructions each. */
template <int ROWS_M, int COLUMNS_N, int DOWN, int ACROSS> struct tile_dmma_shape {
    static constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 8;   /**< of one instruction */
    static constexpr int ROWS = ROWS_M, COLUMNS = COLUMNS_N; /**< instructions of a warp */
    static constexpr int WARP_M = ROWS_M * MMA_M;            /**< warp tile */
    static constexpr int WARP_N = COLUMNS_N * MMA_N;         /**< 128 registers of sums at most */
    static constexpr int TILE_M = DOWN * WARP_M, TILE_N = ACROSS * WARP_N; /**< block tile */
    static constexpr int TILE_K = 16;                                      /**< k of a panel */
    static constexpr int STEPS = TILE_K / MMA_K;                      /**< instructions along it */
    static constexpr int WARPS = DOWN * ACROSS, THREADS = 32 * WARPS; /**< of a block */
    /** Panels in shared memory: one in use, the others on their way. A warp has half as many
     * instructions for a panel of a small tile, so copies take another panel's time; two blocks on
     * an SM have room for it. */
    static constexpr int STAGES = WARPS > 4 ? 3 : 4;
    static_assert(ROWS_M > 1, "a warp has read a panel one row of instructions before its end");
    static_assert(STEPS * ROWS_M % 2 == 0, "two fragments of A take turns, across panels, too");
    static_assert(STAGES >= 3, "the next panel is on its way while this one is multiplied");

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
 * @brief An operand's panels in shared memory, SIDE rows of A or columns of B by S::TILE_K, and a
 * thread's copies to them, WIDTH doubles each: in lines as they lie in memory, along k or across.
 *
 * A lane reads element (g, t) or (t, g) of a fragment, one double; half a warp at once, so 4 g and
 * 4 t. Lines are 4 doubles longer than a multiple of 16, the doubles in all banks: these 16 lie in
 * different ones either way.
 */
template <class S, int SIDE, bool ALONG_K, int WIDTH> struct tile_dmma_iterator {
    static constexpr int LENGTH = ALONG_K ? S::TILE_K : SIDE; /**< of a line */
    static constexpr int LINES = ALONG_K ? SIDE : S::TILE_K;
    static constexpr int LD = LENGTH + 4;      /**< from line to line */
    static constexpr int DOUBLES = LINES * LD; /**< of a panel */
    static constexpr int PER_LINE = LENGTH / WIDTH, NEXT = S::THREADS / PER_LINE; /**< threads */
    static constexpr int COUNT = LINES / NEXT; /**< copies of a thread, NEXT lines apart */
    static_assert(LENGTH % 16 == 0, "no bank conflicts");
    static_assert(NEXT * PER_LINE == S::THREADS && COUNT * NEXT == LINES, "all copy as many");

    const double *at;          /**< what is copied next */
    long long next;            /**< from there to the copy after it */
    int to, side_left, k_left; /**< its place in the panel; to the edges of the operand */

    /** Where element (side, k) lies. */
    static __device__ __forceinline__ constexpr int place(int side, int k)
    {
        return ALONG_K ? side * LD + k : k * LD + side;
    }

    /** From row or column `first` of `extent` on, and from `first_k` to end_k - 1. */
    __device__ __forceinline__ tile_dmma_iterator(const double *x, long long ld, int first,
                                                  int extent, int first_k, int end_k)
    {
        const int thread = ptx_opaque(threadIdx.x); // else registers keep its parts
        const int line = thread / PER_LINE, inner = thread % PER_LINE * WIDTH;
        at = x + ((ALONG_K ? first : first_k) + line) * ld + (ALONG_K ? first_k : first) + inner;
        next = NEXT * ld;
        to = line * LD + inner;
        side_left = extent - first - (ALONG_K ? line : inner);
        k_left = ALONG_K || side_left > 0 ? end_k - first_k - (ALONG_K ? inner : line) : 0;
    }

    /** Starts copy `i` of COUNT, in turn; zeros past the edges, which must be multiples of WIDTH.
     * There `at` may point outside of the operand: a copy of zeros reads nothing. */
    __device__ __forceinline__ void start(double *tile, int i)
    {
        const int lines = !ALONG_K ? k_left : k_left > 0 ? side_left : 0; // from the first on
        __pipeline_memcpy_async(tile + to + i * NEXT * LD, at, WIDTH * sizeof(double),
                                i * NEXT < lines ? 0 : WIDTH * sizeof(double));
        at += next;
        if (i == COUNT - 1) { // on to the next panel
            at += ALONG_K ? S::TILE_K - COUNT * next : 0;
            k_left -= S::TILE_K;
        }
    }
};

/** What a lane holds of a warp tile: see ptx_mma_f64(). */
template <class S> using tile_dmma_sums = double[S::ROWS][S::COLUMNS][4];

/**
 * @brief Adds the product of `panels` panels to the sums. A block calls it once.
 *
 * `memory` has room for S::STAGES times a panel of A and one of B, and begins at a multiple of 128:
 * 16 bytes further on small tiles took half as long again (measured at 1024; a sector of 32 bytes
 * that two copies bring lies in two sectors of shared memory then). Copies go on past the last
 * panel, of zeros: when this returns, such copies may be on their way.
 *
 * Between panels stands an mbarrier in place of __syncthreads(): a warp arrives as soon as it has
 * loaded its last fragments of a panel, multiplies on, and waits only before it loads those of the
 * next one. With __syncthreads() tensor cores would run dry while warps meet.
 */
template <class S, class A, class B>
static __device__ __forceinline__ void tile_dmma_mainloop(tile_dmma_sums<S> &sum, double *memory,
                                                          int panels, A &of_a, B &of_b)
{
    constexpr int STAGE = A::DOUBLES + B::DOUBLES, COPIES = A::COUNT + B::COUNT;
    constexpr int TURNS = S::STEPS * S::ROWS, ROOM = (TURNS - 1) * S::COLUMNS; // for copies
    __shared__ uint64_t ready; // a phase for each panel
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int from_a = A::place(S::warp_row() + g, t);
    const int from_b = A::DOUBLES + B::place(S::warp_col() + g, t);
    double a[2][S::MMA_K / 2], b[S::COLUMNS][S::MMA_K / 4];
    const auto load_a = [&](double(&to)[S::MMA_K / 2], const double *stage, int step, int row) {
#pragma unroll
        for (int i = 0; i < S::MMA_K / 2; ++i)
            to[i] =
                stage[from_a + A::place(row * S::MMA_M + i % 2 * 8, step * S::MMA_K + i / 2 * 4)];
    };
    const auto load_b = [&](const double *stage, int step, int col) {
#pragma unroll
        for (int i = 0; i < S::MMA_K / 4; ++i)
            b[col][i] = stage[from_b + B::place(col * S::MMA_N, step * S::MMA_K + i * 4)];
    };
    const auto start = [&](double *stage, int i) { // copy `i` of COPIES of the next panel
        if (i < A::COUNT)
            of_a.start(stage, i);
        else
            of_b.start(stage + A::DOUBLES, i - A::COUNT);
    };
#pragma unroll
    for (int stage = 0; stage < S::STAGES - 1; ++stage) {
#pragma unroll
        for (int i = 0; i < COPIES; ++i)
            start(memory + stage * STAGE, i);
        __pipeline_commit(); // a group of copies for each panel
    }
    if (threadIdx.x == 0)
        ptx_mbarrier_make(&ready, S::WARPS);
    __pipeline_wait_prior(S::STAGES - 2);
    __syncthreads(); // the first panel has arrived, in every thread
    load_a(a[0], memory, 0, 0);
#pragma unroll
    for (int j = 0; j < S::COLUMNS; ++j)
        load_b(memory, 0, j);
    int now = 0, next = S::STAGES - 1; // stages: in use, and to be filled
    for (int panel = 0; panel < panels; ++panel) {
        const int after = now == S::STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) { // a row of instructions each
            const int row = turn % S::ROWS, step = (turn + 1) % TURNS / S::ROWS;
            const bool is_last = turn == TURNS - 1, is_last_row = row == S::ROWS - 1;
            if (is_last) {
                __pipeline_commit();
                ptx_mbarrier_wait(&ready, panel % 2);
            }
            const double *const from = memory + (is_last ? after : now) * STAGE;
            load_a(a[(turn + 1) % 2], from, step, (turn + 1) % S::ROWS);
            if (turn == TURNS - 2) { // this warp's copies of the next panel have arrived, and it
                                     // has read this one: what is left of it is in registers
                __pipeline_wait_prior(S::STAGES - 3);
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    ptx_mbarrier_arrive(&ready);
            }
#pragma unroll
            for (int j = 0; j < S::COLUMNS; ++j) {
                ptx_mma_f64(sum[row][j], a[turn % 2], b[j]);
                if (is_last_row && j > 0)
                    load_b(from, step, j - 1); // its last use is over
                // Copies, over the panel before: all read it before the last barrier.
                const int at = turn * S::COLUMNS + j;
#pragma unroll
                for (int i = at * COPIES / ROOM; !is_last && i < (at + 1) * COPIES / ROOM; ++i)
                    start(memory + next * STAGE, i);
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
