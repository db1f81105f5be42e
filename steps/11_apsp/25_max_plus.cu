// Step 11.25: the same product with max for min: the longest paths of a graph without cycles.
// Nothing else of it changes but what stands for "no path".
#include "families/apsp.h"

constexpr int SIDE = 16, THREADS = SIDE * SIDE; // a block has SIDE x SIDE threads
constexpr int SMALL = 1024; // up to so many vertices tiles of 64: more blocks, each done sooner
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product
typedef unsigned element, word;      // what a matrix holds; what is computed with: bits of floats
constexpr word NO_PATH = 0xFF800000; // -infinity: plus anything it is no more
enum form { F32, F32_SIGNED };       // no weight is negative; any weights

struct quad {
    alignas(16) word v[4]; // moved at once
};
// Both tiles of a block, double buffered; a thread has 8 x 8 values, or 4 x 4 for few vertices.
template <int VALUES> struct tile_pair {
    static constexpr int SIZE = SIDE * VALUES; // rows of A, columns of B: 128 or 64
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

static __device__ __forceinline__ word sum(word a, word b)
{
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
static __device__ __forceinline__ word relax(word c, word a, word b)
{
    return __float_as_uint(fmaxf(__uint_as_float(c), __uint_as_float(sum(a, b))));
}
// max(c, a + b, d + e). Floats that are not negative lie in the order of their bits, above that of
// -infinity, so the greatest of three is that of three integers: one instruction.
template <int FORM>
static __device__ __forceinline__ word relax2(word c, word a, word b, word d, word e)
{
    if (FORM == F32)
        return __vimax3_s32(c, sum(a, b), sum(d, e));
    return relax(relax(c, a, b), d, e);
}
// Four elements in a row.
static __device__ __forceinline__ struct quad load4(const element *from)
{
    return *(const struct quad *)from;
}
static __device__ __forceinline__ void store4(element *to, const word *c)
{
    *(struct quad *)to = {c[0], c[1], c[2], c[3]};
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
template <int FORM, int VALUES>
static __device__ __forceinline__ void
multiply(word (&c)[VALUES][VALUES], const word (&a)[2][VALUES], const word (&b)[2][VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i; // down one column, up the next
            c[r][q] = relax2<FORM>(c[r][q], a[0][r], b[0][q], a[1][r], b[1][q]);
        }
}

// c = max(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n elements, and k is a multiple of the tile's.
template <int FORM, int VALUES>
static __device__ __forceinline__ void product(word (&c)[VALUES][VALUES],
                                               struct tile_pair<VALUES> &tiles, const element *a,
                                               const element *b, size_t n, int k)
{
    constexpr int SIZE = SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int thread = threadIdx.x;
    const int ty = first_row_of<VALUES>(thread), tx = first_col_of<VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next = load4(a), b_next = load4(b);
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll(VALUES == 8 && FORM != F32 ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last turn has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            a_next = load4(a);
            b_next = load4(b);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_value[2][VALUES], b_value[2][VALUES];
            pick(a_value[0], &tiles.a[now][i][ty], APART_M);
            pick(b_value[0], &tiles.b[now][i][tx], APART_N);
            pick(a_value[1], &tiles.a[now][i + 1][ty], APART_M);
            pick(b_value[1], &tiles.b[now][i + 1][tx], APART_N);
            multiply<FORM>(c, a_value, b_value);
        }
        now = 1 - now;
        deposit(tiles, now, a_next, b_next); // in the last turn once more, though none reads it
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
}

// Moves a thread's part of the tile at `d`, rows of n elements, to its registers, or BACK.
template <bool BACK, int VALUES>
static __device__ __forceinline__ void move_tile(word (&c)[VALUES][VALUES], element *d, size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            element *there = d + nth(ty, r, APART_M) * n + nth(tx, q, APART_N);
            if (BACK)
                store4(there, &c[r][q]);
            else
                *(struct quad *)&c[r][q] = load4(there);
        }
}

// Compares a block's new distances with the old ones at `from`.
template <int VALUES>
static __device__ __forceinline__ void report(const word (&c)[VALUES][VALUES], const element *from,
                                              size_t n, unsigned *after)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const struct quad old = load4(from + nth(ty, r, APART_M) * n + nth(tx, q, APART_N));
#pragma unroll
            for (int i = 0; i < 4; ++i)
                changed |= c[r][q + i] != old.v[i];
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = max(from, from from): the longest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
//
// Two k take 32 registers for operands. With two blocks on an SM there are 128 registers for a
// thread, and none is left for the sums on their way to the greatest of three: one block that has
// them all is faster, though half of the warps are gone.
template <int FORM, int VALUES>
static __global__ __launch_bounds__(THREADS, FORM == F32 ? 1 : 2) void square(
    size_t n, const element *__restrict__ from, element *__restrict__ to, const unsigned *before,
    unsigned *after)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES> tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    move_tile<false>(c, (element *)from + row + col, n);
    product<FORM>(c, tiles, from + row, from + col, n, n);
    move_tile<true>(c, to + row + col, n);
    report(c, from + row + col, n, after);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, and back: 64 x 64 words a
// block. No kernel then asks where the matrix ends.
static __global__ void copy(int n_from, const element *from, int n_to, element *to,
                            unsigned *changed)
{
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64)
        if (row < n_to && col < n_to)
            to[row * n_to + col] =
                row < n_from && col < n_from ? from[row * n_from + col] : NO_PATH;
    if (changed && blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
}

// The scratch memory: what each product says to the next, then a matrix, and another one where the
// output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const int size = p->n <= SMALL ? SIDE * 4 : SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    const size_t matrices = padded == (size_t)p->n ? 1 : 2;
    return FLAGS * sizeof(unsigned) + matrices * padded * padded * sizeof(element);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <int FORM, int VALUES>
static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    const int tiles = (p->n - 1) / (SIDE * VALUES) + 1, padded = tiles * SIDE * VALUES;
    const int products = lab_apsp_products(p), patches = padded / 64; // patches are copied
    unsigned *changed = (unsigned *)p->workspace;
    element *scratch = (element *)(changed + FLAGS);
    element *d[2] = {padded == p->n ? (element *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy<<<patches * patches, THREADS, 0, stream>>>(p->n, (const element *)p->w, padded,
                                                    d[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<FORM, VALUES><<<tiles * tiles, THREADS, 0, stream>>>(padded, d[from], d[to],
                                                                    &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d)
        copy<<<patches * patches, THREADS, 0, stream>>>(padded, d[0], p->n, (element *)p->d, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->n <= SMALL)
        return p->negative ? squared<F32_SIGNED, 4>(p, stream) : squared<F32, 4>(p, stream);
    return p->negative ? squared<F32_SIGNED, 8>(p, stream) : squared<F32, 8>(p, stream);
}

LAB_EXPORT(apsp, {"max_plus", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS | LAB_APSP_LONGEST});
