// Step 11.3: 8 x 8 distances in the registers of each thread, as in step 05: a word read from
// shared memory serves 8 of them.
#include "families/apsp.h"

#include <math.h>

constexpr int SIDE = 16;                          // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE;              // 256
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product
constexpr int SMALL = 1024; // up to so many vertices tiles of 64: more blocks, each done sooner

typedef float word; // what a matrix holds

// Both tiles of a block. VALUES is 8, or 4 for few vertices.
template <int VALUES> struct tile_pair {
    static constexpr int SIZE = SIDE * VALUES; // rows of A, columns of B: 128 or 64
    static constexpr int K = 64 / VALUES;      // each thread loads four words of A, four of B
    static constexpr int PAD = 32 / K;         // a warp stores K k by 32 / K rows: all banks
    word a[K][SIZE + PAD];                     // (k, rows)
    word b[K][SIZE];                           // (k, columns)
};

// The first of a thread's rows and columns in the tile; the others, the nth, follow SIDE apart, so
// that at each step the threads of a warp read neighbours, which lie in different banks.
static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / SIDE;
}
static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread % SIDE;
}
static __device__ __forceinline__ int nth(int first, int i)
{
    return first + i * SIDE;
}

// One k, in an order in which neighbours share an operand: see step 07.
template <int VALUES>
static __device__ __forceinline__ void multiply(word (&c)[VALUES][VALUES], const word (&a)[VALUES],
                                                const word (&b)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            c[r][q] = fminf(c[r][q], a[r] + b[q]);
        }
}

// c = min(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n words, and k is a multiple of the tile's. Of A a warp takes K k of a
// few rows, which it stores transposed; of B it takes 32 neighbours.
template <int VALUES>
static __device__ __forceinline__ void product(word (&c)[VALUES][VALUES],
                                               struct tile_pair<VALUES> &tiles, const word *a,
                                               const word *b, size_t n, int k)
{
    typedef struct tile_pair<VALUES> T;
    const int thread = threadIdx.x;
    const int ty = first_row_of(thread), tx = first_col_of(thread);
    const int a_k = thread % T::K, a_row = thread / T::K;
    const int b_k = thread / T::SIZE, b_col = thread % T::SIZE;
    a += (size_t)a_row * n + a_k;
    b += (size_t)b_k * n + b_col;
    for (int first = 0; first < k; first += T::K) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tiles.a[a_k][a_row + i * (T::SIZE / 4)] = a[i * (T::SIZE / 4) * n];
            tiles.b[b_k + i * (T::K / 4)][b_col] = b[i * (T::K / 4) * n];
        }
        a += T::K;
        b += T::K * n;
        __syncthreads(); // the tiles were written by all: complete before anyone reads them
#pragma unroll
        for (int i = 0; i < T::K; ++i) {
            word a_value[VALUES], b_value[VALUES];
#pragma unroll
            for (int v = 0; v < VALUES; ++v) {
                a_value[v] = tiles.a[i][nth(ty, v)];
                b_value[v] = tiles.b[i][nth(tx, v)];
            }
            multiply(c, a_value, b_value);
        }
        __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
    }
}

// A thread's part of the tile at `from`, rows of n words.
template <int VALUES>
static __device__ __forceinline__ void load_tile(word (&c)[VALUES][VALUES], const word *from,
                                                 size_t n)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            c[r][q] = from[nth(ty, r) * n + nth(tx, q)];
}
template <int VALUES>
static __device__ __forceinline__ void store_tile(const word (&c)[VALUES][VALUES], word *to,
                                                  size_t n)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            to[nth(ty, r) * n + nth(tx, q)] = c[r][q];
}

// Compares a block's new distances with the old ones.
template <int VALUES>
static __device__ __forceinline__ void report(const word (&c)[VALUES][VALUES], const word *from,
                                              size_t n, unsigned *after)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            changed |= c[r][q] != from[nth(ty, r) * n + nth(tx, q)];
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = min(from, from from): the shortest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void square(size_t n, const word *__restrict__ from,
                                                            word *__restrict__ to,
                                                            const unsigned *before, unsigned *after)
{
    typedef struct tile_pair<VALUES> T;
    __shared__ T tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / T::SIZE) * T::SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / T::SIZE) * T::SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    load_tile(c, from + row + col, n);
    product(c, tiles, from + row, from + col, n, n);
    store_tile(c, to + row + col, n);
    report(c, from + row + col, n, after);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, and back: 64 x 64 words a
// block. No kernel then asks where the matrix ends. The first product is done in any case:
// `changed` says so.
static __global__ void copy(int n_from, const word *from, int n_to, word *to, unsigned *changed)
{
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64)
        if (row < n_to && col < n_to)
            to[row * n_to + col] =
                row < n_from && col < n_from ? from[row * n_from + col] : INFINITY;
    if (changed && blockIdx.x + threadIdx.x == 0)
        *changed = 1;
}

// Rows of the matrices that are worked on: whole tiles.
static int padded_size(const struct lab_apsp *p)
{
    const int size = p->n <= SMALL ? SIDE * 4 : SIDE * 8;
    return (p->n + size - 1) / size * size;
}

// The scratch memory: what each product says to the next, then a matrix, and another one where the
// output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t padded = padded_size(p), matrices = padded == (size_t)p->n ? 1 : 2;
    return FLAGS * sizeof(unsigned) + matrices * padded * padded * sizeof(word);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <int VALUES> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    const int padded = padded_size(p), tiles = padded / (SIDE * VALUES);
    const int products = lab_apsp_products(p), patches = padded / 64; // patches are copied
    unsigned *changed = (unsigned *)p->workspace;
    word *scratch = (word *)(changed + FLAGS);
    word *d[2] = {padded == p->n ? (word *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy<<<patches * patches, THREADS, 0, stream>>>(p->n, (const word *)p->w, padded,
                                                    d[products % 2], changed);
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2;
        square<VALUES><<<tiles * tiles, THREADS, 0, stream>>>(padded, d[from], d[1 - from],
                                                              &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d)
        copy<<<patches * patches, THREADS, 0, stream>>>(padded, d[0], p->n, (word *)p->d, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SMALL ? squared<4>(p, stream) : squared<8>(p, stream);
}

LAB_EXPORT(apsp, {"register_tile", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
