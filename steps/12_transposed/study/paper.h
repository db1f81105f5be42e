// The paper's scheme as its text has it, in all forms and both types. Stages
// 12.1 and 12.2 compute an index for each load, and compare it with the edges. Here pointers
// advance, and whole panels have no comparison: past an edge a thread reads the last row or column
// once more, and does not store what it computes of it. `pointers` prefetches, as the paper does in
// single precision; `pointers_doubles` does not, as the paper does in double.
#ifndef LAB_STUDY_PAPER_H
#define LAB_STUDY_PAPER_H

#include "families/gemm.h"
#include "tile/epilogue.h"

namespace paper
{

constexpr int TILE_M = 16; // rows of C per block, all of them in each thread
constexpr int TILE_N = 64; // columns of C per block: one per thread
constexpr int TILE_K = 16;

// Rows of a tile that is stored transposed are padded: 16 floats of 2 rows go to banks (18 k + row)
// % 32, 16 doubles of one row to pairs of banks 17 k % 16.
template <class WORD> constexpr int PAD = sizeof(WORD) == 4 ? 2 : 1;

// A in shared memory: a panel of TILE_M rows, each thread loads four elements of it.
template <class WORD, bool ALONG_K> struct shared_operand {
    static constexpr int LOADS = TILE_M * TILE_K / TILE_N;
    static constexpr int NEXT = TILE_N / TILE_K; // rows, or k, from one load to the next
    typedef WORD tile[TILE_K][TILE_M + PAD<WORD>];
    const WORD *from[LOADS];
    long long next_panel;
    int k, row; // in the tile, of the first load

    __device__ __forceinline__ shared_operand(const WORD *a, long long ld, int first_row, int m)
        : next_panel(ALONG_K ? TILE_K : TILE_K * ld)
    {
        const int thread = threadIdx.x;
        k = ALONG_K ? thread % TILE_K : thread / TILE_M;
        row = ALONG_K ? thread / TILE_K : thread % TILE_M;
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int at = min(first_row + row + (ALONG_K ? i * NEXT : 0), m - 1);
            from[i] = ALONG_K ? a + at * ld + k : a + (k + i * NEXT) * ld + at;
        }
    }

    // Copies a panel, of which `left` k exist; WHOLE: all of them.
    template <bool WHOLE> __device__ __forceinline__ void copy(tile &to, int left)
    {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int at = k + (ALONG_K ? 0 : i * NEXT);
            to[at][row + (ALONG_K ? i * NEXT : 0)] = WHOLE || at < left ? *from[i] : (WORD)0;
            from[i] += next_panel;
        }
    }
};

// B, N-major: a column for each thread, straight from global memory. PREFETCH: an element is
// replaced by that of the next panel as soon as it is multiplied.
template <class WORD, bool PREFETCH> struct column_operand {
    typedef char tile; // has none
    const WORD *from;
    long long ld;
    WORD values[TILE_K];

    __device__ __forceinline__ column_operand(const WORD *b, long long ld, int first_col, int n,
                                              int k)
        : from(b + min(first_col + (int)threadIdx.x, n - 1)), ld(ld)
    {
        if (PREFETCH && k >= TILE_K)
#pragma unroll
            for (int i = 0; i < TILE_K; ++i)
                values[i] = next();
    }

    __device__ __forceinline__ WORD next()
    {
        const WORD value = *from;
        from += ld;
        return value;
    }

    template <bool WHOLE> __device__ __forceinline__ void copy(tile &, int left)
    {
        if (PREFETCH && WHOLE && left < 2 * TILE_K)
            from -= TILE_K * ld; // no whole panel follows: this one is read again
    }

    template <bool WHOLE> __device__ __forceinline__ WORD value(const tile &, int i, int left)
    {
        if (!WHOLE)
            return i < left ? next() : (WORD)0;
        const WORD value = PREFETCH ? values[i] : next();
        if (PREFETCH)
            values[i] = next();
        return value;
    }
};

// B, K-major: through shared memory, as in stage 12.4. A warp loads 16 k of 2 columns.
template <class WORD> struct transposed_operand {
    static constexpr int LOADS = TILE_N * TILE_K / TILE_N;
    static constexpr int NEXT = TILE_N / TILE_K; // columns from one load to the next
    typedef WORD tile[TILE_K][TILE_N + PAD<WORD>];
    const WORD *from;
    long long ld;
    int k, column, exist; // in the tile; of the thread's columns so many are before the edge

    __device__ __forceinline__ transposed_operand(const WORD *b, long long ld, int first_col, int n,
                                                  int)
        : ld(ld)
    {
        k = threadIdx.x % TILE_K;
        column = threadIdx.x / TILE_K;
        const int first = min(first_col + column, n - 1);
        exist = (n - 1 - first) / NEXT + 1;
        from = b + first * ld + k;
    }

    template <bool WHOLE> __device__ __forceinline__ void copy(tile &to, int left)
    {
        const WORD *element = from;
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            to[k][column + i * NEXT] = WHOLE || k < left ? *element : (WORD)0;
            element += i + 1 < exist ? NEXT * ld : 0;
        }
        from += TILE_K;
    }

    template <bool WHOLE> __device__ __forceinline__ WORD value(const tile &from_tile, int i, int)
    {
        return from_tile[i][threadIdx.x];
    }
};

template <bool WHOLE, class WORD, class A, class B>
static __device__ __forceinline__ void panel(WORD (&sum)[TILE_M], A &a, typename A::tile &a_tile,
                                             B &b, typename B::tile &b_tile, int left)
{
    a.template copy<WHOLE>(a_tile, left);
    b.template copy<WHOLE>(b_tile, left);
    __syncthreads(); // all threads have written the tiles
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        const WORD b_value = b.template value<WHOLE>(b_tile, i, left);
#pragma unroll
        for (int r = 0; r < TILE_M; ++r)
            sum[r] += a_tile[i][r] * b_value;
    }
    __syncthreads(); // all have read them: only now may the next panel overwrite them
}

// SWAPPED: C' is written, see stage 12.5.
template <class A, class B, bool SWAPPED, class WORD>
static __global__ void gemm(int m, int n, int k, WORD alpha, const WORD *__restrict__ a,
                            long long row_a, const WORD *__restrict__ b, long long row_b, WORD beta,
                            WORD *__restrict__ c, long long row_c)
{
    __shared__ typename A::tile a_tile;
    __shared__ typename B::tile b_tile;
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int col = first_col + (int)threadIdx.x;
    A of_a(a, row_a, first_row, m);
    B of_b(b, row_b, first_col, n, k);

    WORD sum[TILE_M] = {}; // in registers: every index is known when compiling
    int left = k;
    for (; left >= TILE_K; left -= TILE_K)
        panel<true>(sum, of_a, a_tile, of_b, b_tile, left);
    if (left > 0)
        panel<false>(sum, of_a, a_tile, of_b, b_tile, left);
    WORD *const to = SWAPPED ? c + col * row_c + first_row : c + first_row * row_c + col;
    const long long next = SWAPPED ? 1 : row_c;
#pragma unroll
    for (int r = 0; r < TILE_M; ++r)
        if (first_row + r < m && col < n)
            tile_store(&to[r * next], sum[r], alpha, beta);
}

template <bool PREFETCH, class WORD>
static cudaError_t launch(const struct lab_gemm *p, const WORD *a, const WORD *b, WORD *c,
                          WORD alpha, WORD beta, cudaStream_t stream)
{
    typedef shared_operand<WORD, true> a_along_k;
    typedef shared_operand<WORD, false> a_across_k;
    typedef column_operand<WORD, PREFETCH> b_across_k;
    const bool is_swapped = p->a_is_transposed && p->b_is_transposed;
    const int m = is_swapped ? p->n : p->m, n = is_swapped ? p->m : p->n;
    const int blocks = ((m - 1) / TILE_M + 1) * ((n - 1) / TILE_N + 1);
    if (is_swapped)
        gemm<a_along_k, b_across_k, true><<<blocks, TILE_N, 0, stream>>>(
            m, n, p->k, alpha, b, p->row_b, a, p->row_a, beta, c, p->row_c);
    else if (p->a_is_transposed)
        gemm<a_across_k, b_across_k, false><<<blocks, TILE_N, 0, stream>>>(
            m, n, p->k, alpha, a, p->row_a, b, p->row_b, beta, c, p->row_c);
    else if (p->b_is_transposed)
        gemm<a_along_k, transposed_operand<WORD>, false><<<blocks, TILE_N, 0, stream>>>(
            m, n, p->k, alpha, a, p->row_a, b, p->row_b, beta, c, p->row_c);
    else
        gemm<a_along_k, b_across_k, false><<<blocks, TILE_N, 0, stream>>>(
            m, n, p->k, alpha, a, p->row_a, b, p->row_b, beta, c, p->row_c);
    return cudaGetLastError();
}

template <bool PREFETCH>
static cudaError_t launch_floats(const struct lab_gemm *p, cudaStream_t stream)
{
    return launch<PREFETCH>(p, p->a, p->b, p->c, p->alpha, p->beta, stream);
}

template <bool PREFETCH>
static cudaError_t launch_doubles(const struct lab_gemm *p, cudaStream_t stream)
{
    return launch<PREFETCH>(p, p->a_double, p->b_double, p->c_double, p->alpha_double,
                            p->beta_double, stream);
}
} // namespace paper

#endif
