// Step 11.4: two k at a time. The pipe that finds the lesser of two floats takes half as many a
// clock as the one that adds, and it finds the least of three integers as fast.
#include "families/apsp.h"
#include "semiring/squaring.h"

// Two k, in an order in which neighbours share an operand: see step 07.
template <class S, int VALUES>
static __device__ __forceinline__ void
outer_product(word (&c)[VALUES][VALUES], const word (&a)[2][VALUES], const word (&b)[2][VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i; // down one column, up the next
            if constexpr (S::ADDS_THREE)
                c[r][q] =
                    S::add3(c[r][q], S::multiply(a[0][r], b[0][q]), S::multiply(a[1][r], b[1][q]));
            else
                c[r][q] =
                    S::multiply_add(S::multiply_add(c[r][q], a[0][r], b[0][q]), a[1][r], b[1][q]);
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
#pragma unroll(VALUES == 8 && !S::ADDS_THREE ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            semiring_load<S, VALUES>(a_next, b_next, a, b, n);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_fragment[2][VALUES], b_fragment[2][VALUES];
            semiring_load_fragment(a_fragment[0], &tiles.a[now][i][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[0], &tiles.b[now][i][tx], SEMIRING_STRIDE_N);
            semiring_load_fragment(a_fragment[1], &tiles.a[now][i + 1][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[1], &tiles.b[now][i + 1][tx], SEMIRING_STRIDE_N);
            outer_product<S>(c, a_fragment, b_fragment);
        }
        now = 1 - now;
        semiring_store(tiles, now, a_next,
                       b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

// to = from + from from: the paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
//
// Two k take 32 registers for operands. With two blocks on an SM there are 128 registers for a
// thread, and none is left for the sums on their way to the least of three: one block that has
// them all is faster, though half of the warps are gone.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>, S::ADDS_THREE ? 1 : 2) void square(
    size_t n, const typename S::element *__restrict__ from, typename S::element *__restrict__ to,
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
    semiring_report<S>(c, from + row + col, n, after);
}

// A matrix to one of whole tiles, or BACK.
template <class S, bool BACK>
static __global__ void copy(int n_from, const typename S::element *from, int n_to,
                            typename S::element *to, unsigned *changed)
{
    semiring_copy<S, BACK>(n_from, from, n_to, to);
    if (!BACK && blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
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
    element *scratch = (element *)(changed + SEMIRING_FLAGS);
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

// A semiring for each type, and for weights of both signs.
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->semiring == LAB_APSP_MAX_PLUS)
        return p->negative ? squared<max_plus_f32>(p, stream)
                           : squared<max_plus_f32_bits>(p, stream);
    if (p->semiring == LAB_APSP_OR_AND)
        return squared<or_and_u16>(p, stream);
    if (p->type == LAB_APSP_U16)
        return squared<min_plus_u16>(p, stream);
    if (p->type == LAB_APSP_F32)
        return p->negative ? squared<min_plus_f32>(p, stream)
                           : squared<min_plus_f32_bits>(p, stream);
    return p->negative ? squared<min_plus_s32_signed>(p, stream) : squared<min_plus_s32>(p, stream);
}

LAB_EXPORT(apsp,
           {"min_plus", launch, semiring_workspace,
            LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_INTS | LAB_APSP_LENGTHS},
           {"widened", launch, semiring_workspace,
            LAB_APSP_SQUARES | LAB_APSP_SHORTS | LAB_APSP_LENGTHS},
           {"max_plus", launch, semiring_workspace,
            LAB_APSP_SQUARES | LAB_APSP_LENGTHS | LAB_APSP_LONGEST},
           {"truth_values", launch, semiring_workspace,
            LAB_APSP_SQUARES | LAB_APSP_LENGTHS | LAB_APSP_REACHES});
