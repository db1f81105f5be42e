/**
 * @file peel.h
 * @brief The few rows and columns of C past the last whole tile, peeled off: a kernel of their own
 * adds them up beside the tiles' kernel, which then has fewer tiles. Stage 12.7 derives this.
 */
#ifndef LAB_TILE_PEEL_H
#define LAB_TILE_PEEL_H

#include "ptx/launch_early.h"
#include "tile/epilogue.h"

enum {
    TILE_PEEL_MOST = 8, /**< rows, or columns, that are peeled at most */
    TILE_PEEL_THREADS = 256,
    TILE_PEEL_BYTES = 1 << 15 /**< shared memory of a block */
};

/** Rows and columns of C that are left for tiles. */
struct tile_whole {
    int m, n;
};

/** What is left of one dimension. */
__attribute__((unused)) static inline int tile_whole_of(int size, int tile)
{
    const int rest = size % tile;
    return size > tile && rest <= TILE_PEEL_MOST ? size - rest : size;
}

/** Peels if that saves a wave, of tiles of `tile` rows and columns, `resident` at a time. */
__attribute__((unused)) static inline struct tile_whole tile_peel(int m, int n, int tile,
                                                                  int resident)
{
    const struct tile_whole whole = {tile_whole_of(m, tile), tile_whole_of(n, tile)};
    const long long tiles = ((m - 1) / tile + 1LL) * ((n - 1) / tile + 1);
    const long long left = ((whole.m - 1) / tile + 1LL) * ((whole.n - 1) / tile + 1);
    return (left - 1) / resident < (tiles - 1) / resident ? whole : (struct tile_whole){m, n};
}

/** A strip of C: element (e, l) is the sum over k of x(e, k) * y(k, l). In memory the next row e is
 * `x_edge` elements further on, the next k `x_k`, and so on. */
template <class T> struct tile_strip {
    int edge, length; /**< rows e, TILE_PEEL_MOST at most, and elements l of each */
    const T *x;
    long long x_edge, x_k;
    const T *y;
    long long y_step; /**< to the next l if Y runs along k in memory, else to the next k */
    T *c;
    long long c_edge, c_step;
};

/** Elements of a strip that a block has. 32 threads read neighbours of Y along k, 16 across. */
__attribute__((unused)) static __host__ __device__ constexpr int tile_strip_width(bool is_along_k)
{
    return is_along_k ? TILE_PEEL_THREADS / 32 : 16;
}

/** Blocks that a strip takes. */
template <class T> static int tile_strip_blocks(const tile_strip<T> &s, bool is_along_k)
{
    const int width = tile_strip_width(is_along_k);
    return s.edge > 0 ? (s.length + width - 1) / width : 0;
}

/** Block `block` of a strip of EDGE rows at most. Threads share the sum over k, in slices, and load
 * several k of Y before they use them. ALONG_K: Y runs along k in memory. */
template <class T, bool ALONG_K, int EDGE>
static __device__ __forceinline__ void tile_strip_multiply(const tile_strip<T> &s, T *shared,
                                                           int block, int k, T alpha, T beta)
{
    constexpr int WIDTH = tile_strip_width(ALONG_K), SLICES = TILE_PEEL_THREADS / WIDTH;
    constexpr int L_STEP = ALONG_K ? SLICES : 1, SLICE_STEP = ALONG_K ? 1 : WIDTH; // in threads
    constexpr int PANEL = TILE_PEEL_BYTES / (int)sizeof(T) / EDGE;
    const int thread = threadIdx.x, slice = thread / SLICE_STEP % SLICES;
    const int l = min(block * WIDTH + thread / L_STEP % WIDTH, s.length - 1);
    const T *const y = s.y + (ALONG_K ? l * s.y_step : l);
    T sum[EDGE] = {};
    for (int first_k = 0; first_k < k; first_k += PANEL) {
        const int count = min(PANEL, k - first_k);
        __syncthreads(); // all have read the panel of X before
#pragma unroll 4
        for (int i = thread; i < EDGE * count; i += TILE_PEEL_THREADS) {
            const int e = i % EDGE, at = first_k + i / EDGE;
            shared[i] = e < s.edge ? s.x[e * s.x_edge + at * s.x_k] : (T)0;
        }
        __syncthreads();
#pragma unroll(EDGE == 1 ? 32 : 8)
        for (int i = slice; i < count; i += SLICES) {
            const T value = y[(first_k + i) * (ALONG_K ? 1 : s.y_step)];
#pragma unroll
            for (int e = 0; e < EDGE; ++e)
                sum[e] += shared[i * EDGE + e] * value;
        }
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EDGE; ++e)
        shared[e * TILE_PEEL_THREADS + thread] = sum[e];
    __syncthreads();
    for (int i = thread; i < s.edge * WIDTH; i += TILE_PEEL_THREADS) {
        const int e = i / WIDTH, at = block * WIDTH + i % WIDTH;
        T total = 0;
        for (int j = 0; j < SLICES; ++j)
            total += shared[e * TILE_PEEL_THREADS + i % WIDTH * L_STEP + j * SLICE_STEP];
        if (at < s.length)
            tile_store(&s.c[e * s.c_edge + at * s.c_step], total, alpha, beta);
    }
}

/** The strip of the last rows, which has the corner, and that of the last columns. */
template <class T, bool A_ALONG_K, bool B_ALONG_K, int EDGE>
static __global__ __launch_bounds__(TILE_PEEL_THREADS) void tile_peeled(const tile_strip<T> rows,
                                                                        const tile_strip<T> columns,
                                                                        int row_blocks, int k,
                                                                        T alpha, T beta)
{
    __shared__ T shared[TILE_PEEL_BYTES / sizeof(T)]; // (k, EDGE) of X; then (EDGE, threads)
    const int block = blockIdx.x;
    if (block < row_blocks)
        tile_strip_multiply<T, B_ALONG_K, EDGE>(rows, shared, block, k, alpha, beta);
    else
        tile_strip_multiply<T, A_ALONG_K, EDGE>(columns, shared, block - row_blocks, k, alpha,
                                                beta);
    if (block == gridDim.x - 1)
        ptx_wait_for_earlier(); // this kernel ends after that of the tiles; the other blocks make
                                // room
}

/** Launches what was peeled, right after the kernel that has the tiles, and beside it if that one
 * calls ptx_let_next_begin(). X_ALONG_K: the operand runs along k in memory. */
template <class T, bool A_ALONG_K, bool B_ALONG_K>
static cudaError_t tile_peel_launch(struct tile_whole whole, int m, int n, int k, T alpha,
                                    const T *a, long long row_a, const T *b, long long row_b,
                                    T beta, T *c, long long row_c, cudaStream_t stream)
{
    const long long next_m = A_ALONG_K ? row_a : 1, a_k = A_ALONG_K ? 1 : row_a;
    const long long next_n = B_ALONG_K ? row_b : 1, b_k = B_ALONG_K ? 1 : row_b;
    const tile_strip<T> rows = {m - whole.m, n,     a + whole.m * next_m, next_m, a_k,
                                b,           row_b, c + whole.m * row_c,  row_c,  1};
    const tile_strip<T> columns = {n - whole.n, whole.m, b + whole.n * next_n, next_n, b_k,
                                   a,           row_a,   c + whole.n,          1,      row_c};
    const int row_blocks = tile_strip_blocks(rows, B_ALONG_K);
    const int blocks = row_blocks + tile_strip_blocks(columns, A_ALONG_K);
    const auto kernel = rows.edge <= 1 && columns.edge <= 1
                            ? tile_peeled<T, A_ALONG_K, B_ALONG_K, 1>
                            : tile_peeled<T, A_ALONG_K, B_ALONG_K, TILE_PEEL_MOST>;
    return blocks == 0 ? cudaSuccess
                       : launch_early(kernel, blocks, TILE_PEEL_THREADS, 0, stream, rows, columns,
                                      row_blocks, k, alpha, beta);
}

#endif
