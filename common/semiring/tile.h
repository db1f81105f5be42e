/**
 * @file tile.h
 * @brief The tiles of a product over a semiring: those of stage 07.3, which derives them, of words.
 * Stage 11.6 puts two elements into a word.
 */
#ifndef LAB_SEMIRING_TILE_H
#define LAB_SEMIRING_TILE_H

#include "semirings.h"

/** A tile has SIDE x VALUES rows, and as many columns. */
constexpr int SEMIRING_SIDE = 16;
/** Up to so many vertices tiles of 64: more blocks, each done sooner. */
constexpr int SEMIRING_SMALL = 1024;
/** From a thread's run of 4 rows to its next, and likewise of words in a row. */
constexpr int SEMIRING_STRIDE_M = 16, SEMIRING_STRIDE_N = 32;
/** What most semirings compute with: an element, or PER_WORD neighbours. */
typedef unsigned word;

/** Threads of a block. Each has 8 x 8 words, or 4 x 4 for few vertices. A tile of pairs is as wide
 * as one of single elements and takes half of the threads. */
template <class S> constexpr int SEMIRING_THREADS = SEMIRING_SIDE *SEMIRING_SIDE / S::PER_WORD;

/** The tiles of A and B of a block, double buffered, of VALUES x VALUES words of a thread. */
template <class S, int VALUES> struct semiring_tiles {
    static constexpr int SIZE = SEMIRING_SIDE * VALUES; /**< rows of A, columns of B: 128 or 64 */
    static constexpr int ACROSS = SIZE / S::PER_WORD;   /**< words of a row of B */
    static constexpr int K = 64 / VALUES; /**< a thread loads 4 elements of A, 4 words of B */
    static constexpr int ROWS = ACROSS;   /**< from a row of A that a thread loads to its next */
    typename S::word a[2][K][SIZE + 4];   /**< (buffer, k, rows); padded: see stage 07.3 */
    typename S::word b[2][K][ACROSS];     /**< (buffer, k, words) */
};

/** The first of a thread's rows in the tile. Its rows and columns are runs of 4; the 4 x 8 threads
 * of a warp then load fragments without bank conflicts: see stage 07.3. */
template <class S, int VALUES> static __device__ __forceinline__ int semiring_row(int thread)
{
    return thread / (64 / S::PER_WORD) * (4 * VALUES) + thread % 32 / 16 * 8 + thread % 2 * 4;
}

/** The first of its columns, in words. */
template <class S, int VALUES> static __device__ __forceinline__ int semiring_col(int thread)
{
    return thread / 32 % (2 / S::PER_WORD) * (8 * VALUES) + thread / 2 % 8 * 4;
}

/** Row or column `i` of a thread, of which `first` is the first. */
__attribute__((unused)) static __device__ __forceinline__ int semiring_nth(int first, int i,
                                                                           int stride)
{
    return first + i / 4 * stride + i % 4;
}

/** Loads what a thread stores to the tiles, while the ones before are used: of A four neighbours
 * along k, in PER_WORD rows, of B four words in a row. Rows are n elements long. */
template <class S, int VALUES, class ELEMENT>
static __device__ __forceinline__ void semiring_load(typename S::four (&a_next)[S::PER_WORD],
                                                     typename S::four &b_next, const ELEMENT *a,
                                                     const ELEMENT *b, size_t n)
{
#pragma unroll
    for (int i = 0; i < S::PER_WORD; ++i)
        a_next[i] = S::spread4(a + i * semiring_tiles<S, VALUES>::ROWS * n);
    b_next = S::load4(b);
}

/** Stores it to buffer `now`, A's transposed. */
template <class S, int VALUES>
static __device__ __forceinline__ void semiring_store(semiring_tiles<S, VALUES> &tiles, int now,
                                                      const typename S::four (&a_next)[S::PER_WORD],
                                                      const typename S::four &b_next)
{
    constexpr int ACROSS = tiles.ACROSS, K = tiles.K, ROWS = tiles.ROWS;
    const int a_k = threadIdx.x % (K / 4) * 4, a_row = threadIdx.x / (K / 4);
    const int b_k = threadIdx.x / (ACROSS / 4), b_col = threadIdx.x % (ACROSS / 4) * 4;
#pragma unroll
    for (int i = 0; i < S::PER_WORD; ++i) {
        tiles.a[now][a_k + 0][a_row + i * ROWS] = a_next[i].v[0];
        tiles.a[now][a_k + 1][a_row + i * ROWS] = a_next[i].v[1];
        tiles.a[now][a_k + 2][a_row + i * ROWS] = a_next[i].v[2];
        tiles.a[now][a_k + 3][a_row + i * ROWS] = a_next[i].v[3];
    }
    *(typename S::four *)&tiles.b[now][b_k][b_col] = b_next;
}

/** Loads a fragment from a row of a tile: runs of 4 words, from one to the next `stride` words. */
template <class WORD, int VALUES>
static __device__ __forceinline__ void semiring_load_fragment(WORD (&fragment)[VALUES],
                                                              const WORD *tile, int stride)
{
    struct four {
        alignas(16) WORD v[4];
    };
#pragma unroll
    for (int i = 0; i < VALUES; i += 4)
        *(struct four *)&fragment[i] = *(const struct four *)&tile[i / 4 * stride];
}

/** Loads a thread's part of the tile at `d`, rows of n elements, to registers, or stores it BACK.
 */
template <class S, bool BACK, int VALUES>
static __device__ __forceinline__ void semiring_move_tile(word (&c)[VALUES][VALUES],
                                                          typename S::element *d, size_t n)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x);
    const int tx = semiring_col<S, VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            typename S::element *there = d + semiring_nth(ty, r, SEMIRING_STRIDE_M) * n +
                                         semiring_nth(tx, q, SEMIRING_STRIDE_N) * S::PER_WORD;
            if (BACK)
                S::store4(there, &c[r][q]);
            else
                *(typename S::four *)&c[r][q] = S::load4(there);
        }
}

#endif
