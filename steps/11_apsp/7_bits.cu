// Step 11.7: a truth value is a bit, so a word holds 32 neighbours of a row, and one instruction
// does 32 of them. A single bit of A is used at a time: it becomes a word of 32 equal bits.
#include "families/apsp.h"
#include "semirings.h"

constexpr int SIDE = 16, THREADS = SIDE * SIDE;   // a block has SIDE x SIDE threads
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product
typedef unsigned short element;                   // what a matrix holds
typedef unsigned word; // what is computed with: 32 of them, the first in the lowest bit

// Both tiles of a block, double buffered; a thread has 4 x 4 words: there are few, so tiles of 64.
template <int VALUES> struct tile_pair {
    static constexpr int SIZE = SIDE * VALUES; // rows of A, words of B: 64
    static constexpr int K = 64 / VALUES;      // each thread loads four words of A, four of B
    word a[2][K][SIZE + 4];                    // (buffer, k, rows); 4: see deposit() of step 07
    word b[2][K][SIZE];                        // (buffer, k, columns)
};

// The first of a thread's rows and columns in the tile. The others, the nth, follow in runs of 4
// that lie apart; the 4 x 8 threads of a warp then read the tiles without conflicts: see step 07.
template <int VALUES> static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * (4 * VALUES) + thread % 32 / 16 * 8 + thread % 2 * 4;
}
template <int VALUES> static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * (8 * VALUES) + thread / 2 % 8 * 4;
}
constexpr int APART_M = 16, APART_N = 32; // of rows, of columns
static __device__ __forceinline__ int nth(int first, int i, int apart)
{
    return first + i / 4 * apart + i % 4;
}

// Stores what was loaded to the tiles, A's transposed.
template <int VALUES>
static __device__ __forceinline__ void deposit(struct tile_pair<VALUES> &tiles, int now,
                                               const struct quad &a_next, const struct quad &b_next)
{
    constexpr int SIZE = SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int a_k = threadIdx.x % (K / 4) * 4, a_row = threadIdx.x / (K / 4);
    const int b_k = threadIdx.x / (SIZE / 4), b_col = threadIdx.x % (SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(struct quad *)&tiles.b[now][b_k][b_col] = b_next; // B is not turned
}
// Copies runs of 4 neighbours, `apart` words apart, from a row of a tile to registers.
template <int VALUES>
static __device__ __forceinline__ void pick(word (&values)[VALUES], const word *tile, int apart)
{
#pragma unroll
    for (int i = 0; i < VALUES; i += 4)
        *(struct quad *)&values[i] = *(const struct quad *)&tile[i / 4 * apart];
}
// Two k, in an order in which neighbours share an operand: see step 07.
template <class S, int VALUES>
static __device__ __forceinline__ void
multiply(word (&c)[VALUES][VALUES], const word (&a)[2][VALUES], const word (&b)[2][VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i; // down one column, up the next
            c[r][q] = S::multiply_add(S::multiply_add(c[r][q], a[0][r], b[0][q]), a[1][r], b[1][q]);
        }
}

// c = c or A B for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n words, and k is a multiple of the tile's.
template <class S, int VALUES>
static __device__ __forceinline__ void product(word (&c)[VALUES][VALUES],
                                               struct tile_pair<VALUES> &tiles, const word *a,
                                               const word *b, size_t n, int k)
{
    constexpr int SIZE = SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int thread = threadIdx.x;
    const int ty = first_row_of<VALUES>(thread), tx = first_col_of<VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n;
    int a_k = thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next = S::spread4(a, a_k), b_next = S::load4(b);
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll(VALUES == 8 ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a_k += K;
            b += K * n;
            a_next = S::spread4(a, a_k);
            b_next = S::load4(b);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_value[2][VALUES], b_value[2][VALUES];
            pick(a_value[0], &tiles.a[now][i][ty], APART_M);
            pick(b_value[0], &tiles.b[now][i][tx], APART_N);
            pick(a_value[1], &tiles.a[now][i + 1][ty], APART_M);
            pick(b_value[1], &tiles.b[now][i + 1][tx], APART_N);
            multiply<S>(c, a_value, b_value);
        }
        now = 1 - now;
        deposit(tiles, now, a_next, b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

// Moves a thread's part of the tile at `d`, rows of n words, to its registers, or BACK.
template <class S, bool BACK, int VALUES>
static __device__ __forceinline__ void move_tile(word (&c)[VALUES][VALUES], word *d, size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            word *there = d + nth(ty, r, APART_M) * n + nth(tx, q, APART_N);
            if (BACK)
                S::store4(there, &c[r][q]);
            else
                *(struct quad *)&c[r][q] = S::load4(there);
        }
}

// Compares a block's new words with the old ones at `from`.
template <class S, int VALUES>
static __device__ __forceinline__ void report(const word (&c)[VALUES][VALUES], const word *from,
                                              size_t n, unsigned *after)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const struct quad old = S::load4(from + nth(ty, r, APART_M) * n + nth(tx, q, APART_N));
#pragma unroll
            for (int i = 0; i < 4; ++i)
                changed |= c[r][q + i] != old.v[i];
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = from or from from, of so many rows: the paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void square(int rows, size_t n,
                                                            const word *__restrict__ from,
                                                            word *__restrict__ to,
                                                            const unsigned *before, unsigned *after)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES> tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    move_tile<S, false>(c, (word *)from + row + col, n);
    product<S>(c, tiles, from + row, from + col, n, rows);
    move_tile<S, true>(c, to + row + col, n);
    report<S>(c, from + row + col, n, after);
}

// A matrix to bits, in whole tiles, with vertices that nothing leads to, and back: a warp has a
// word, and each of its threads one element. No kernel then asks where the matrix ends.
static __global__ void pack(int n, const element *from, size_t words, word *to, unsigned *changed)
{
    const size_t at = ((size_t)blockIdx.x * THREADS + threadIdx.x) / 32; // of the word
    const size_t row = at / words, col = at % words * 32 + threadIdx.x % 32;
    const word bits = __ballot_sync(0xFFFFFFFF, row < n && col < n && from[row * n + col] != 0);
    if (threadIdx.x % 32 == 0)
        to[at] = bits;
    if (blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
}
static __global__ void unpack(int n, const word *from, size_t words, element *to)
{
    const size_t at = ((size_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    const size_t row = at / words, col = at % words * 32 + threadIdx.x % 32;
    if (row < n && col < n)
        to[row * n + col] = from[at] >> threadIdx.x % 32 & 1;
}

// Tiles are as many words across as they have rows, so a tile is 32 times as many vertices across.
constexpr int SIZE = SIDE * 4;
static int tiles_down(const struct lab_apsp *p)
{
    return (p->n - 1) / SIZE + 1;
}
static int tiles_across(const struct lab_apsp *p)
{
    return (p->n - 1) / (32 * SIZE) + 1;
}

// The scratch memory: what each product says to the next, then two matrices of bits.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t words = (size_t)tiles_down(p) * tiles_across(p) * SIZE * SIZE;
    return (FLAGS + 2 * words) * sizeof(word);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const int tiles = tiles_down(p) * tiles_across(p), products = lab_apsp_products(p);
    const int rows = tiles_down(p) * SIZE, words = tiles_across(p) * SIZE;  // words of a row
    const int warps = THREADS / 32, packed = tiles * (SIZE * SIZE / warps); // blocks that pack
    unsigned *changed = (unsigned *)p->workspace;
    word *d[2] = {changed + FLAGS, changed + FLAGS + (size_t)rows * words};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    pack<<<packed, THREADS, 0, stream>>>(p->n, (const element *)p->w, words, d[products % 2],
                                         changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<or_and_bits, 4><<<tiles, THREADS, 0, stream>>>(rows, words, d[from], d[to],
                                                              &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    unpack<<<packed, THREADS, 0, stream>>>(p->n, d[0], words, (element *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

LAB_EXPORT(apsp, {"or_and", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_SHORTS | LAB_APSP_LENGTHS | LAB_APSP_REACHES});
