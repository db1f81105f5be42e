// Step 11.2: a product of matrices, with "add" for "multiply" and "min" for "add", joins two paths
// at every vertex at once. D = min(D, D D), again and again until nothing changes, takes a few
// launches in place of n, and its tiles in shared memory read each distance n / 32 times, not n.
#include "families/apsp.h"
#include "semirings.h"

constexpr int SIZE = 32; // a block has SIZE x SIZE threads, one for each distance of its tile
static_assert(SIZE == 32, "a warp takes a row: its loads lie side by side, in different banks");
constexpr int THREADS = 256;                      // in a block that copies
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product

// to = from + from from, as S adds and multiplies: the shortest paths of twice as many arcs.
// `before` is 0 where the product before this one changed nothing. Then both matrices hold the
// same, and nothing is done.
template <class S>
static __global__
__launch_bounds__(SIZE *SIZE) void square(size_t n, const typename S::element *__restrict__ from,
                                          typename S::element *__restrict__ to,
                                          const unsigned *before, unsigned *after)
{
    typedef typename S::element element;
    typedef typename S::word word;
    __shared__ word a_tile[SIZE][SIZE]; // (rows, k)
    __shared__ word b_tile[SIZE][SIZE]; // (k, columns)
    if (!*before)
        return;                 // all threads of all blocks
    const int tx = threadIdx.x; // along columns: a warp has 32 neighbours
    const int ty = threadIdx.y;
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE + ty;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE + tx;
    const word old = S::load(from[row * n + col]);
    const element *a = from + row * n + tx, *b = from + ty * n + col; // what it loads
    word c = old;
    for (int k = 0; k < n; k += SIZE) {
        a_tile[ty][tx] = S::load(*a);
        b_tile[ty][tx] = S::load(*b);
        a += SIZE;
        b += SIZE * n;
        __syncthreads(); // all threads have written the tiles
        // A warp reads one a, the same for all its threads, and 32 neighbours of b: no conflicts.
#pragma unroll
        for (int i = 0; i < SIZE; ++i)
            c = S::multiply_add(c, a_tile[ty][i], b_tile[i][tx]);
        __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
    }
    to[row * n + col] = S::store(c);
    if (__syncthreads_or(c != old) && tx + ty == 0)
        atomicMax(after, 1); // by one thread of a block
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
    const size_t padded = (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
    const size_t matrices = padded == (size_t)p->n ? 1 : 2;
    return FLAGS * sizeof(unsigned) + matrices * padded * padded * lab_apsp_bytes(p->type);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <class S> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int tiles = (p->n - 1) / SIZE + 1, padded = tiles * SIZE;
    const int products = lab_apsp_products(p);
    const int patches = (padded - 1) / 64 + 1; // patches are copied
    unsigned *changed = (unsigned *)p->workspace;
    element *scratch = (element *)(changed + FLAGS);
    element *d[2] = {padded == p->n ? (element *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy<S, false><<<patches * patches, THREADS, 0, stream>>>(p->n, (const element *)p->w, padded,
                                                              d[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<S><<<tiles * tiles, dim3(SIZE, SIZE), 0, stream>>>(padded, d[from], d[to],
                                                                  &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d || S::CONVERTS)
        copy<S, true>
            <<<patches * patches, THREADS, 0, stream>>>(padded, d[0], p->n, (element *)p->d, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->semiring == LAB_APSP_MAX_PLUS)
        return squared<max_plus_f32>(p, stream);
    if (p->semiring == LAB_APSP_OR_AND)
        return squared<or_and_u16>(p, stream);
    if (p->type == LAB_APSP_U16)
        return squared<min_plus_u16>(p, stream);
    if (p->type == LAB_APSP_F32)
        return squared<min_plus_f32>(p, stream);
    return p->negative ? squared<min_plus_s32_signed>(p, stream) : squared<min_plus_s32>(p, stream);
}

LAB_EXPORT(apsp, {"squaring", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_LENGTHS | LAB_APSP_SHORTEST | LAB_APSP_LONGEST |
                      LAB_APSP_REACHES});
