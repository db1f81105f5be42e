// expect: ok
// Kernels and helpers of templates that are not static, a base class, a debug print, host code with
// std::swap.
#include <utility>
#include "families/widest.h"
#include "semirings.h"

constexpr int VALUES = 4;            // rows and columns of the result per thread
constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int TILE = SIDE * VALUES;  // rows and columns per block: 64
constexpr int TILE_K = 16;           // each thread loads four words of A, four of B
typedef unsigned word; // the bits of a width: floats that are not negative lie in their order

struct max_min : whole_words {
    static constexpr word zero = 0; // no way through, which no maximum takes
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return min(x, y);
    }
    static __device__ __forceinline__ word add3(word x, word y, word z)
    {
        return __vimax3_u32(x, y, z); // one instruction, where floats take two
    }
};

template <class S>
__device__ void multiply(word (&c)[VALUES][VALUES], const quad (&a)[2], const quad (&b)[2])
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const word first = S::multiply(a[0].v[r], b[0].v[q]);
            const word second = S::multiply(a[1].v[r], b[1].v[q]);
            c[r][q] = S::add3(c[r][q], first, second);
        }
}

template <class S>
__global__ void square(size_t n, const word *__restrict__ from, word *__restrict__ to)
{
    __shared__ __align__(16) word a_tile[2][TILE_K][TILE + 4]; // (buffer, k, rows); 4: see below
    __shared__ __align__(16) word b_tile[2][TILE_K][TILE];     // (buffer, k, columns)
    const int thread = threadIdx.x;
    const size_t row = blockIdx.x / (unsigned)(n / TILE) * TILE;
    const size_t col = blockIdx.x % (unsigned)(n / TILE) * TILE;
    // The first of its rows and columns in the tile: the 4 x 8 threads of a warp read no bank
    // twice.
    const int ty = thread / 64 * 16 + thread % 32 / 16 * 8 + thread % 2 * 4;
    const int tx = thread / 32 % 2 * 32 + thread / 2 % 8 * 4;
    // What it loads: of A four neighbours along k, of B four in a row. Those along k are turned: a
    // warp, 2 k by 16 rows, writes to bank (k * (64 + 4) + row) % 32, which for k and k + 4 is all.
    const int a_k = thread / 32 % 2 * 8 + thread % 2 * 4,
              a_row = thread / 64 * 16 + thread % 32 / 2;
    const int b_k = thread / SIDE, b_col = thread % SIDE * 4;
    const word *a = from + (row + a_row) * n + a_k, *b = from + b_k * n + col + b_col;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            c[r][q] = S::zero;
    int now = 0; // the buffer that is filled, then read; the other one is still being read by some
    quad a_next = S::load4(a), b_next = S::load4(b);
    for (size_t next_k = TILE_K; next_k <= n; next_k += TILE_K, now = 1 - now) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            a_tile[now][a_k + i][a_row] = a_next.v[i];
        *(quad *)&b_tile[now][b_k][b_col] = b_next;
        __syncthreads();  // complete, and nobody reads what was in this buffer two iterations ago
        if (next_k < n) { // on their way while the tiles are read
            a_next = S::load4(a += TILE_K);
            b_next = S::load4(b += TILE_K * n);
        }
#pragma unroll
        for (int i = 0; i < TILE_K; i += 2) {
            const quad a_value[2] = {*(const quad *)&a_tile[now][i][ty],
                                     *(const quad *)&a_tile[now][i + 1][ty]};
            const quad b_value[2] = {*(const quad *)&b_tile[now][i][tx],
                                     *(const quad *)&b_tile[now][i + 1][tx]};
            multiply<S>(c, a_value, b_value);
        }
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
        S::store4(&to[(row + ty + r) * n + col + tx], c[r]);
}

__global__ void copy(int n_from, const word *from, int n_to, word *to, word zero)
{
    const int row = blockIdx.x;
    if (threadIdx.x == 0)
        printf("row %d of %d\n", row, n_from);
    for (int col = threadIdx.x; col < n_to; col += THREADS)
        to[(size_t)row * n_to + col] =
            row < n_from && col < n_from ? from[(size_t)row * n_from + col] : zero;
}

static int whole_tiles(const struct lab_widest *p)
{
    return ((p->n - 1) / TILE + 1) * TILE;
}

static size_t workspace(const struct lab_widest *p)
{
    return 2 * sizeof(word) * whole_tiles(p) * whole_tiles(p);
}

static cudaError_t launch(const struct lab_widest *p, cudaStream_t stream)
{
    const int n = whole_tiles(p), tiles = n / TILE;
    word *from = (word *)p->workspace, *to = from + (size_t)n * n;
    int products = 1;
    for (int arcs = 2; arcs < p->n - 1; arcs *= 2)
        ++products;
    copy<<<n, THREADS, 0, stream>>>(p->n, (const word *)p->w, n, from, max_min::zero);
    for (int i = 0; i < products; ++i) { // to and fro
        square<max_min><<<tiles * tiles, THREADS, 0, stream>>>(n, from, to);
        std::swap(from, to);
    }
    copy<<<p->n, THREADS, 0, stream>>>(n, from, p->n, (word *)p->d, max_min::zero);
    return cudaGetLastError();
}

LAB_EXPORT(widest, {"squaring", launch, workspace});
