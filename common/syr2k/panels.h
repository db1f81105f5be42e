/**
 * @file panels.h
 * @brief The panels of a SYR2K in shared memory, the asynchronous copies to them and the fragments
 * read from them. Stage 10.7 derives this; stage 10.8 goes along the rows twice.
 */
#ifndef LAB_SYR2K_PANELS_H
#define LAB_SYR2K_PANELS_H

#include <cuda_pipeline.h>

constexpr int SYR2K_SQUARE = 128; /**< rows of B and of A to a block */
/** Warps down and across a square, 4 x 8 threads each. */
constexpr int SYR2K_WARPS_M = 4, SYR2K_WARPS_N = 2;
constexpr int SYR2K_THREADS = SYR2K_WARPS_M * SYR2K_WARPS_N * 32; /**< of a block */
constexpr int SYR2K_VALUES = 8; /**< rows and columns of D per thread, 4 rows and 8 columns apart */
constexpr int SYR2K_STAGES = 3; /**< panels in shared memory: one is used, two are on their way */
constexpr int SYR2K_PAD = 2;    /**< rows begin 4 or 20 banks apart: 8 of them all differ */

/** TILE_K values of each row of a square, and SYR2K_PAD that is not read: (stage, row, value). */
template <int TILE_K> struct syr2k_panels {
    double b[SYR2K_STAGES][SYR2K_SQUARE][TILE_K + SYR2K_PAD]; /**< rows of B */
    double a[SYR2K_STAGES][SYR2K_SQUARE][TILE_K + SYR2K_PAD]; /**< rows of A */
};

/** What a thread copies of rows `row` .. of B and `column` .. of A: `count` copies of WIDTH values,
 * of B first, each `down` rows below the one before. The addresses go on from copy to copy: one for
 * each would take registers that the sums need. */
template <int TILE_K, int WIDTH> struct syr2k_panel_iterator {
    static constexpr int across = TILE_K / WIDTH;        /**< threads on a row */
    static constexpr int down = SYR2K_THREADS / across;  /**< rows from one copy to the next */
    static constexpr int of_b = SYR2K_SQUARE / down;     /**< copies of B, and as many of A */
    static constexpr int count = 2 * of_b;               /**< copies of a panel */
    static constexpr int bytes = WIDTH * sizeof(double); /**< of a copy */
    const double *b, *a, *b_at, *a_at; /**< the matrices, and what is copied next of either */
    int row, column;                   /**< the first that the thread copies, of B and of A */
    int n, length;                     /**< rows, and values in each */
    bool is_inside;                    /**< not past the end of the rows */

    /** Of panel `number` before `end`: from number `half` on A and B are swapped. Past `end` it
     * brings zeros: every iteration has its group of copies then, and a wait counts groups. */
    __device__ __forceinline__ syr2k_panel_iterator(int n, int length, int half, int end,
                                                    const double *a, const double *b, int2 corner,
                                                    int number)
        : b(b), a(a), row(corner.y + (int)threadIdx.x / across),
          column(corner.x + (int)threadIdx.x / across), n(n), length(length)
    {
        const bool swapped = number >= half;
        const int x =
            (swapped ? number - half : number) * TILE_K + (int)threadIdx.x % across * WIDTH;
        is_inside = number < end && x < length;
        b_at = (swapped ? a : b) + (size_t)row * length + x;
        a_at = (swapped ? b : a) + (size_t)column * length + x;
    }

    /** Starts copies, or zeros, which need no address: part `i` of so many, in turn from 0 on. */
    __device__ __forceinline__ void start(syr2k_panels<TILE_K> &to, int stage, int i, int parts)
    {
#pragma unroll
        for (int number = i * count / parts; number < min((i + 1) * count / parts, count);
             ++number) {
            const int place = (number < of_b ? number : number - of_b) * down;
            const int x = threadIdx.x % across * WIDTH, y = threadIdx.x / across + place;
            const auto copy = [&](double *to, int row, const double *all, const double *&at) {
                const bool here = is_inside && row + place < n;
                __pipeline_memcpy_async(to, here ? at : all, bytes, here ? 0 : bytes);
                at += (size_t)down * length;
            };
            number < of_b ? copy(&to.b[stage][y][x], row, b, b_at)
                          : copy(&to.a[stage][y][x], column, a, a_at);
        }
    }
};

/** What a thread multiplies next: its values of one column of each panel. */
struct syr2k_fragments {
    double b[SYR2K_VALUES], a[SYR2K_VALUES]; /**< rows and columns of the thread */
    /** Reads column `i`, of a thread whose first row and column are `ty` and `tx`. */
    template <int TILE_K>
    __device__ __forceinline__ void load(const syr2k_panels<TILE_K> &from, int stage, int i, int ty,
                                         int tx)
    {
        for (int v = 0; v < SYR2K_VALUES; ++v)
            b[v] = from.b[stage][ty + v * 4][i];
        for (int v = 0; v < SYR2K_VALUES; ++v)
            a[v] = from.a[stage][tx + v * 8][i];
    }
};

#endif
