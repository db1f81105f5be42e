// Step 11.3: the product of step 07's last stage with min in place of add: 8 x 8 distances in the
// registers of each thread, the next tiles loaded while these are read, 16 bytes at a time, placed
// so that no bank is asked twice. For few vertices the tiles are smaller.
#include "families/apsp.h"
#include "semirings.h"

constexpr int SIDE = 16, THREADS = SIDE * SIDE; // a block has SIDE x SIDE threads
constexpr int SMALL = 1024; // up to so many vertices tiles of 64: more blocks, each done sooner
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product
typedef unsigned word;                            // what is computed with, whatever the semiring

// Both tiles of a block, double buffered; a thread has 8 x 8 values, or 4 x 4 for few vertices.
template <int VALUES> struct tile_pair {
    static constexpr int SIZE = SIDE * VALUES; // rows of A, columns of B: 128 or 64
    static constexpr int K = 64 / VALUES;      // each thread loads four words of A, four of B
    word a[2][K][SIZE + 4];                    // (buffer, k, rows); 4: see store_panel() of step 07
    word b[2][K][SIZE];                        // (buffer, k, columns)
};

// The first of a thread's rows and columns in the tile. The others, the nth, follow in runs of 4
// a stride apart; the 4 x 8 threads of a warp then read the tiles without conflicts: see step 07.
template <int VALUES> static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * (4 * VALUES) + thread % 32 / 16 * 8 + thread % 2 * 4;
}
template <int VALUES> static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * (8 * VALUES) + thread / 2 % 8 * 4;
}
constexpr int STRIDE_M = 16, STRIDE_N = 32; // of rows, of columns
static __device__ __forceinline__ int nth(int first, int i, int stride)
{
    return first + i / 4 * stride + i % 4;
}

// Stores what was loaded to the tiles, A's transposed.
template <int VALUES>
static __device__ __forceinline__ void store_panel(struct tile_pair<VALUES> &tiles, int now,
                                                   const struct quad &a_next,
                                                   const struct quad &b_next)
{
    constexpr int SIZE = SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int a_k = threadIdx.x % (K / 4) * 4, a_row = threadIdx.x / (K / 4);
    const int b_k = threadIdx.x / (SIZE / 4), b_col = threadIdx.x % (SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(struct quad *)&tiles.b[now][b_k][b_col] = b_next; // B is not transposed
}
// Loads a fragment: runs of 4 neighbours, from one to the next `stride` words, from a row of a tile
// to registers.
template <int VALUES>
static __device__ __forceinline__ void load_fragment(word (&values)[VALUES], const word *tile,
                                                     int stride)
{
#pragma unroll
    for (int i = 0; i < VALUES; i += 4)
        *(struct quad *)&values[i] = *(const struct quad *)&tile[i / 4 * stride];
}
// One k, in an order in which neighbours share an operand: see step 07.
template <class S, int VALUES>
static __device__ __forceinline__ void
outer_product(word (&c)[VALUES][VALUES], const word (&a)[VALUES], const word (&b)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i; // down one column, up the next
            c[r][q] = S::multiply_add(c[r][q], a[r], b[q]);
        }
}

// c = c + A B, as S adds and multiplies, for a tile: A begins at `a`, with the tile's first row, B
// at `b`, with its first column; both have rows of n elements, and k is a multiple of the tile's.
template <class S, int VALUES>
static __device__ __forceinline__ void
product(word (&c)[VALUES][VALUES], struct tile_pair<VALUES> &tiles, const typename S::element *a,
        const typename S::element *b, size_t n, int k)
{
    constexpr int SIZE = SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int thread = threadIdx.x;
    const int ty = first_row_of<VALUES>(thread), tx = first_col_of<VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next = S::spread4(a), b_next = S::load4(b);
    store_panel(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll 2
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            a_next = S::spread4(a);
            b_next = S::load4(b);
        }
#pragma unroll
        for (int i = 0; i < K; ++i) {
            word a_fragment[VALUES], b_fragment[VALUES];
            load_fragment(a_fragment, &tiles.a[now][i][ty], STRIDE_M);
            load_fragment(b_fragment, &tiles.b[now][i][tx], STRIDE_N);
            outer_product<S>(c, a_fragment, b_fragment);
        }
        now = 1 - now;
        store_panel(tiles, now, a_next,
                    b_next); // in the last iteration too, though nothing reads it
        __syncthreads();     // the new tiles are complete, and all threads have read the old tiles
    }
}

// Moves a thread's part of the tile at `d`, rows of n elements, to its registers, or BACK.
template <class S, bool BACK, int VALUES>
static __device__ __forceinline__ void move_tile(word (&c)[VALUES][VALUES], typename S::element *d,
                                                 size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            typename S::element *there = d + nth(ty, r, STRIDE_M) * n + nth(tx, q, STRIDE_N);
            if (BACK)
                S::store4(there, &c[r][q]);
            else
                *(struct quad *)&c[r][q] = S::load4(there);
        }
}

// Compares a block's new distances with the old ones at `from`.
template <class S, int VALUES>
static __device__ __forceinline__ void
report(const word (&c)[VALUES][VALUES], const typename S::element *from, size_t n, unsigned *after)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const struct quad old =
                S::load4(from + nth(ty, r, STRIDE_M) * n + nth(tx, q, STRIDE_N));
#pragma unroll
            for (int i = 0; i < 4; ++i)
                changed |= c[r][q + i] != old.v[i];
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = from + from from: the shortest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S, int VALUES>
static __global__
__launch_bounds__(THREADS, 2) void square(size_t n, const typename S::element *__restrict__ from,
                                          typename S::element *__restrict__ to,
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
    move_tile<S, false>(c, (typename S::element *)from + row + col, n);
    product<S>(c, tiles, from + row, from + col, n, n);
    move_tile<S, true>(c, to + row + col, n);
    report<S>(c, from + row + col, n, after);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, or BACK: 64 x 64 elements a
// block. No kernel then asks where the matrix ends.
template <class S, bool BACK>
static __global__ void copy(int n_from, const typename S::element *from, int n_to,
                            typename S::element *to, unsigned *changed)
{
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64)
        if (row < n_to && col < n_to) {
            const typename S::element e =
                row < n_from && col < n_from ? from[row * n_from + col] : S::store(S::zero);
            to[row * n_to + col] = BACK ? S::leave(e) : S::enter(e);
        }
    if (!BACK && blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
}

// The scratch memory: what each product says to the next, then a matrix, and another one where the
// output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const int size = p->n <= SMALL ? SIDE * 4 : SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    const size_t matrices = padded == (size_t)p->n ? 1 : 2;
    return FLAGS * sizeof(unsigned) + matrices * padded * padded * lab_apsp_bytes(p->type);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <class S, int VALUES>
static cudaError_t squared_in(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int tiles = (p->n - 1) / (SIDE * VALUES) + 1, padded = tiles * SIDE * VALUES;
    const int products = lab_apsp_products(p), patches = padded / 64; // patches are copied
    unsigned *changed = (unsigned *)p->workspace;
    element *scratch = (element *)(changed + FLAGS);
    element *d[2] = {padded == p->n ? (element *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy<S, false><<<patches * patches, THREADS, 0, stream>>>(p->n, (const element *)p->w, padded,
                                                              d[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<S, VALUES><<<tiles * tiles, THREADS, 0, stream>>>(padded, d[from], d[to],
                                                                 &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d || S::CONVERTS)
        copy<S, true>
            <<<patches * patches, THREADS, 0, stream>>>(padded, d[0], p->n, (element *)p->d, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
template <class S> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SMALL ? squared_in<S, 4>(p, stream) : squared_in<S, 8>(p, stream);
}

LAB_EXPORT(apsp, {"product", squared<min_plus_f32>, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
