// Step 11.20: the paths of repeated squaring, as in stage 11.2: what makes a path shorter is the
// vertex at which two are joined.
#include "families/apsp.h"

#include <limits.h>

constexpr int SIZE = 32; // a block has SIZE x SIZE threads, one for each distance of its tile
static_assert(SIZE == 32, "a warp takes a row: its loads lie side by side");
constexpr int THREADS = 256;                      // in a block that copies
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product

// The length of a path above, the number of its arcs below: it decides between paths of the same
// length. Without it, arcs of weight 0 could lead from one vertex to another and back.
typedef unsigned long long word;
enum form { F32, S32, S32_SIGNED }; // of lengths: floats, or whole numbers as in stage 11.12
// True when path x is shorter than y.
template <int FORM> static __device__ __forceinline__ bool shorter(unsigned x, unsigned y)
{
    if (FORM == F32)
        return __uint_as_float(x) < __uint_as_float(y);
    return FORM == S32_SIGNED ? (int)x < (int)y : x < y;
}
template <int FORM> static __device__ __forceinline__ bool shorter(word x, word y)
{
    const unsigned x_length = x >> 32, y_length = y >> 32;
    const bool less = shorter<FORM>(x_length, y_length), more = shorter<FORM>(y_length, x_length);
    return less | (!more & ((unsigned)x < (unsigned)y)); // no branches
}
// The path that is a, and then b: both lengths and both numbers of arcs are added.
template <int FORM> static __device__ __forceinline__ unsigned sum(unsigned a, unsigned b)
{
    return FORM == F32 ? __float_as_uint(__uint_as_float(a) + __uint_as_float(b)) : a + b;
}
template <int FORM> static __device__ __forceinline__ word sum(word a, word b)
{
    const unsigned length = sum<FORM>((unsigned)(a >> 32), (unsigned)(b >> 32));
    return (word)length << 32 | ((unsigned)a + (unsigned)b);
}

// to = min(from, from from): the shortest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <int FORM>
static __global__ __launch_bounds__(SIZE *SIZE) void square(size_t n, const word *__restrict__ from,
                                                            word *__restrict__ to,
                                                            const int *__restrict__ via_from,
                                                            int *__restrict__ via_to,
                                                            const unsigned *before, unsigned *after)
{
    __shared__ word a_tile[SIZE][SIZE]; // (rows, k)
    __shared__ word b_tile[SIZE][SIZE]; // (k, columns)
    if (!*before)
        return;                 // all threads of all blocks
    const int tx = threadIdx.x; // along columns: a warp has 32 neighbours
    const int ty = threadIdx.y;
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE + ty;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE + tx;
    const word old = from[row * n + col];
    word c = old;
    int via = via_from[row * n + col];
    for (int k = 0; k < n; k += SIZE) {
        a_tile[ty][tx] = from[row * n + k + tx];
        b_tile[ty][tx] = from[(k + ty) * n + col];
        __syncthreads(); // the tiles were written by all: complete before anyone reads them
#pragma unroll
        for (int i = 0; i < SIZE; ++i) {
            const word through = sum<FORM>(a_tile[ty][i], b_tile[i][tx]);
            const bool better = shorter<FORM>(through, c);
            c = better ? through : c;
            via = better ? k + i : via; // the vertex at which the two are joined
        }
        __syncthreads(); // all have read the tiles: only now may the next ones overwrite them
    }
    to[row * n + col] = c;
    via_to[row * n + col] = via;
    if (__syncthreads_or(c != old) && tx + ty == 0)
        atomicMax(after, 1); // by one thread of a block
}

// What stands for "no path" in the matrices that come and go, and in the words here. Signed,
// INT_MAX is kept as 2^30 - 1, so that twice it still fits.
struct no_path {
    unsigned outside, inside;
};
// The matrix of arcs to one of words, of whole tiles: 64 x 64 elements a block.
template <class E>
static __global__ void copy_in(int n, int padded, const E *w, struct no_path no_path, word *d,
                               int *via, unsigned *changed)
{
    const unsigned across = (padded - 1) / 64 + 1,
                   col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= padded || col >= padded)
            continue;
        unsigned length = row < n && col < n ? w[row * n + col] : no_path.outside;
        const unsigned arcs = row != col && length != no_path.outside; // 1, or 0 where none is
        if (length == no_path.outside)
            length = no_path.inside; // which no sum may overflow
        d[row * padded + col] = (word)length << 32 | arcs;
        via[row * padded + col] = -1; // no vertex between: the arc itself
    }
    if (changed && blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
}
// The way back, and where a path's first arc leads: from the last vertex passed to the last one on
// the way there, until there is none.
template <class E>
static __global__ void copy_out(int n, int padded, const word *d, const int *via,
                                struct no_path no_path, E *lengths, int *next)
{
    const unsigned across = (padded - 1) / 64 + 1,
                   col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= n || col >= n)
            continue;
        unsigned length = d[row * padded + col] >> 32;
        if (no_path.inside != no_path.outside && (int)length >= (int)no_path.inside / 2)
            length = no_path.outside; // negative arcs may have lowered it on the way
        lengths[row * n + col] = length;
        int step = -1, passed = row != col && length != no_path.outside ? (int)col : -1;
        for (int i = 0; i < n && passed >= 0; ++i) { // n: a wrong `via` must not lead in circles
            step = passed;
            passed = via[row * padded + step];
        }
        next[row * n + col] = step;
    }
}
// The scratch memory: what each product says to the next, two matrices, and their last vertices.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t padded = (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
    return FLAGS * sizeof(unsigned) + 2 * padded * padded * (sizeof(word) + sizeof(int));
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <int FORM, class E>
static cudaError_t squared(const struct lab_apsp *p, struct no_path no_path, cudaStream_t stream)
{
    const int tiles = (p->n - 1) / SIZE + 1, padded = tiles * SIZE;
    const int products = lab_apsp_products(p),
              patches = (padded - 1) / 64 + 1; // patches are copied
    const size_t count = (size_t)padded * padded;
    unsigned *changed = (unsigned *)p->workspace;
    word *scratch = (word *)(changed + FLAGS), *d[2] = {scratch, scratch + count};
    int *vias = (int *)(scratch + 2 * count), *via[2] = {vias, vias + count};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy_in<<<patches * patches, THREADS, 0, stream>>>(p->n, padded, (const E *)p->w, no_path,
                                                       d[products % 2], via[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<FORM><<<tiles * tiles, dim3(SIZE, SIZE), 0, stream>>>(
            padded, d[from], d[to], via[from], via[to], &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    copy_out<<<patches * patches, THREADS, 0, stream>>>(p->n, padded, d[0], via[0], no_path,
                                                        (E *)p->d, p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32) // +infinity
        return squared<F32, unsigned>(p, {0x7F800000, 0x7F800000}, stream);
    if (p->type == LAB_APSP_U16)
        return squared<S32, unsigned short>(p, {0xFFFF, 0xFFFF}, stream); // widened
    return p->negative ? squared<S32_SIGNED, unsigned>(p, {INT_MAX, 0x3FFFFFFF}, stream)
                       : squared<S32, unsigned>(p, {INT_MAX, INT_MAX}, stream);
}

LAB_EXPORT(apsp, {"squaring", launch, workspace, LAB_APSP_SQUARES | LAB_APSP_PATHS});
