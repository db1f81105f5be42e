// Step 11.3: the product of step 07's last stage with min in place of add: 8 x 8 distances in the
// registers of each thread, the next tiles loaded while these are read, 16 bytes at a time, placed
// so that no bank is asked twice. For few vertices the tiles are smaller. The header has step 07's
// tiles, in words.
#include "families/apsp.h"
#include "semiring/tile.h"

constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product

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
product(word (&c)[VALUES][VALUES], semiring_tiles<S, VALUES> &tiles, const typename S::element *a,
        const typename S::element *b, size_t n, int k)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES, K = 64 / VALUES; // as in the tiles
    const int thread = threadIdx.x;
    const int ty = semiring_row<S, VALUES>(thread), tx = semiring_col<S, VALUES>(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next[1], b_next;
    semiring_load<S, VALUES>(a_next, b_next, a, b, n);
    semiring_store(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll 2
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            semiring_load<S, VALUES>(a_next, b_next, a, b, n);
        }
#pragma unroll
        for (int i = 0; i < K; ++i) {
            word a_fragment[VALUES], b_fragment[VALUES];
            semiring_load_fragment(a_fragment, &tiles.a[now][i][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment, &tiles.b[now][i][tx], SEMIRING_STRIDE_N);
            outer_product<S>(c, a_fragment, b_fragment);
        }
        now = 1 - now;
        semiring_store(tiles, now, a_next,
                       b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

// Compares a block's new distances with the old ones at `from`.
template <class S, int VALUES>
static __device__ __forceinline__ void
report(const word (&c)[VALUES][VALUES], const typename S::element *from, size_t n, unsigned *after)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x), tx = semiring_col<S, VALUES>(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const struct quad old = S::load4(from + semiring_nth(ty, r, SEMIRING_STRIDE_M) * n +
                                             semiring_nth(tx, q, SEMIRING_STRIDE_N));
#pragma unroll
            for (int i = 0; i < 4; ++i)
                changed |= c[r][q + i] != old.v[i];
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = from + from from: the paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>,
                                    2) void square(size_t n,
                                                   const typename S::element *__restrict__ from,
                                                   typename S::element *__restrict__ to,
                                                   const unsigned *before, unsigned *after)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    semiring_move_tile<S, false>(c, (typename S::element *)from + row + col, n);
    product<S>(c, tiles, from + row, from + col, n, n);
    semiring_move_tile<S, true>(c, to + row + col, n);
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
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += SEMIRING_THREADS<S> / 64)
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
    const int size = p->n <= SEMIRING_SMALL ? SEMIRING_SIDE * 4 : SEMIRING_SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    const size_t matrices = padded == (size_t)p->n ? 1 : 2;
    return FLAGS * sizeof(unsigned) + matrices * padded * padded * lab_apsp_bytes(p->type);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <class S, int VALUES>
static cudaError_t squared_in(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int tiles = (p->n - 1) / (SEMIRING_SIDE * VALUES) + 1,
              padded = tiles * SEMIRING_SIDE * VALUES;
    const int products = lab_apsp_products(p), patches = padded / 64; // patches are copied
    unsigned *changed = (unsigned *)p->workspace;
    element *scratch = (element *)(changed + FLAGS);
    element *d[2] = {padded == p->n ? (element *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy<S, false><<<patches * patches, SEMIRING_THREADS<S>, 0, stream>>>(
        p->n, (const element *)p->w, padded, d[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<S, VALUES><<<tiles * tiles, SEMIRING_THREADS<S>, 0, stream>>>(
            padded, d[from], d[to], &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d || S::CONVERTS)
        copy<S, true><<<patches * patches, SEMIRING_THREADS<S>, 0, stream>>>(padded, d[0], p->n,
                                                                             (element *)p->d, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
template <class S> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SEMIRING_SMALL ? squared_in<S, 4>(p, stream) : squared_in<S, 8>(p, stream);
}

LAB_EXPORT(apsp, {"product", squared<min_plus_f32>, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
