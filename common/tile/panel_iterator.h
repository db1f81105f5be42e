/**
 * @file panel_iterator.h
 * @brief A thread's part of the asynchronous copies of panels to shared memory, for stages 14.1 and
 * 14.2. CUTLASS calls this an iterator; stage 12.7 derives it.
 */
#ifndef LAB_TILE_PANEL_ITERATOR_H
#define LAB_TILE_PANEL_ITERATOR_H

#include "families/gemm.h"
#include "ptx/shared.h"

/**
 * @brief Copies panels of A (m, k) and B (k, n), which lie without gaps between rows, one after
 * another along k.
 *
 * A is K-major and is transposed on its way, an element at a time; B is copied by vectors, or by
 * elements where rows are not ALIGNED. Past the edge of C a thread copies something else, since
 * nothing that comes of it is stored: of A the first row again, of B what lies a tile before. If
 * all lanes copied one element, the hardware would do that lane after lane.
 */
template <class S, bool ALIGNED> struct tile_panel_iterator {
    static constexpr int A_K = 8;                   /**< lanes along k: 8 k by 4 rows, all banks */
    static constexpr int A_STEP = S::THREADS / A_K; /**< rows from one copy to the next */
    static constexpr int A_ROWS = S::TILE_M / A_STEP; /**< of A that a thread copies from */
    static constexpr int A_COUNT = A_ROWS * (S::TILE_K / A_K); /**< copies of A, of a panel */
    static constexpr int WIDTH = ALIGNED ? 4 : 1;              /**< floats of a copy of B */
    static constexpr int B_LANES = S::TILE_N / WIDTH;          /**< threads on a row of B */
    static constexpr int B_STEP = S::THREADS / B_LANES;        /**< k from one copy to the next */
    static constexpr int COUNT = A_COUNT + S::TILE_K / B_STEP; /**< copies of a panel */
    static_assert(B_LANES <= S::THREADS, "a thread's copies have one column");
    const float *a, *b;          /**< of the next panel */
    unsigned a_to, b_to;         /**< in the first stage */
    unsigned row_offset[A_ROWS]; /**< times k: bytes from `a` to each row that the thread copies */

    /** Begins with the panel at row `first_k` of B, for the tile of C at (first_row, first_col).
     * The stages begin at `shared`. */
    __device__ __forceinline__ tile_panel_iterator(const struct lab_gemm &p, int first_row,
                                                   int first_col, int first_k, float *shared)
    {
        const int thread = threadIdx.x, a_k = thread % A_K, b_col = thread % B_LANES * WIDTH;
        const int row = first_row + thread / A_K, col = first_col + b_col;
        const int from_row = row < p.m ? row : first_row;
        const int from_col = col < p.n ? col : first_col > 0 ? col - S::TILE_N : 0;
        a = p.a + (size_t)from_row * p.k + first_k + a_k;
        b = p.b + (size_t)(first_k + thread / B_LANES) * p.n + from_col;
        a_to = ptx_shared_address(shared + a_k * S::LD_A + thread / A_K);
        b_to = ptx_shared_address(shared + S::A_FLOATS + thread / B_LANES * S::LD_B + b_col);
#pragma unroll
        for (int i = 0; i < A_ROWS; ++i)
            row_offset[i] = i * A_STEP < p.m - from_row ? i * A_STEP * (unsigned)sizeof(float) : 0;
    }

    /** Starts copy `number` of the COUNT of a panel if `is_there`, to the pipeline's stage that
     * lies `stage` bytes after the first. `n` and `k` are the problem's. */
    __device__ __forceinline__ void copy(int number, unsigned stage, int n, unsigned k,
                                         bool is_there) const
    {
        const int i = number / (S::TILE_K / A_K), j = number % (S::TILE_K / A_K) * A_K;
        const int b_row = (number - A_COUNT) * B_STEP;
        if (number < A_COUNT)
            ptx_copy_if<1>(a_to + stage + 4 * (i * A_STEP + j * S::LD_A),
                           (const float *)((const char *)a + (size_t)row_offset[i] * k) + j,
                           is_there);
        else if (number < COUNT)
            ptx_copy_if<WIDTH>(b_to + stage + 4 * b_row * S::LD_B, b + (size_t)b_row * n, is_there);
    }

    /** Starts all copies of a panel of which `count` k exist, zeros for the others, and advances.
     */
    __device__ __forceinline__ void copy_all(unsigned stage, int n, unsigned k, int count)
    {
        const int thread = threadIdx.x;
#pragma unroll
        for (int i = 0; i < A_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < S::TILE_K; j += A_K) {
                const bool is_there = thread % A_K + j < count;
                ptx_copy<1, false>(a_to + stage + 4 * (i * A_STEP + j * S::LD_A),
                                   (const float *)((const char *)a + (size_t)row_offset[i] * k) +
                                       (is_there ? j : -(thread % A_K)),
                                   is_there);
            }
#pragma unroll(ALIGNED ? COUNT - A_COUNT : 2) // more at a time would take registers from the sums
        for (int i = 0; i < COUNT - A_COUNT; ++i) {
            const bool is_there = thread / B_LANES + i * B_STEP < count;
            ptx_copy<WIDTH, false>(b_to + stage + 4 * i * B_STEP * S::LD_B,
                                   b + (is_there ? (size_t)(i * B_STEP) * n : 0), is_there);
        }
        advance(n, count);
    }

    /** Advances to the next panel. */
    __device__ __forceinline__ void advance(int n, int count = S::TILE_K)
    {
        a += count;
        b += (size_t)count * n;
    }
};

#endif
