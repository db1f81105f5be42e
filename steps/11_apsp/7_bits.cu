// Step 11.7: a truth value is a bit, so a word holds 32 neighbours of a row, and one instruction
// does 32 of them. A single bit of A is used at a time: it becomes a word of 32 equal bits.
#include "families/apsp.h"
#include "semiring/product.h"
#include "semiring/squaring.h"
#include "tile/grid.h"

// The tiles are of words: each is an element of the matrices that are multiplied.
struct bits : or_and_bits {
    static constexpr int PER_WORD = 1;
};

typedef unsigned short element;         // what a matrix of the problem holds
constexpr int SIZE = SEMIRING_SIDE * 4; // rows of a tile, and words across, of 32 vertices each
constexpr int THREADS = SEMIRING_THREADS<bits>; // of a block

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
    a += (size_t)(thread / (K / 4)) * n;
    int a_k = thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next[1] = {S::spread4(a, a_k)}, b_next = S::load4(b);
    semiring_store(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll(VALUES == 8 && !S::ADDS_THREE ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a_k += K;
            b += K * n;
            a_next[0] = S::spread4(a, a_k);
            b_next = S::load4(b);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_fragment[2][VALUES], b_fragment[2][VALUES];
            semiring_load_fragment(a_fragment[0], &tiles.a[now][i][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[0], &tiles.b[now][i][tx], SEMIRING_STRIDE_N);
            semiring_load_fragment(a_fragment[1], &tiles.a[now][i + 1][ty], SEMIRING_STRIDE_M);
            semiring_load_fragment(b_fragment[1], &tiles.b[now][i + 1][tx], SEMIRING_STRIDE_N);
            semiring_outer_product<S>(c, a_fragment, b_fragment);
        }
        now = 1 - now;
        semiring_store(tiles, now, a_next,
                       b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
    }
}

// to = from + from from: the paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void square(int rows, size_t n,
                                                            const word *__restrict__ from,
                                                            word *__restrict__ to,
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
    product<S>(c, tiles, from + row, from + col, n, rows);
    semiring_move_tile<S, true>(c, to + row + col, n);
    semiring_report<S>(c, from + row + col, n, after);
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

// The scratch memory: what each product says to the next, then two matrices of bits.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t tiles = (size_t)tile_count(p->n, SIZE) * tile_count(p->n, 32 * SIZE);
    return (SEMIRING_FLAGS + 2 * tiles * SIZE * SIZE) * sizeof(word);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const int rows = tile_count(p->n, SIZE) * SIZE, words = tile_count(p->n, 32 * SIZE) * SIZE;
    const int tiles = rows / SIZE * (words / SIZE), products = lab_apsp_products(p);
    const int packed = tiles * (SIZE * SIZE / (THREADS / 32)); // blocks: a warp packs a word
    unsigned *changed = (unsigned *)p->workspace;
    word *d[2] = {changed + SEMIRING_FLAGS, changed + SEMIRING_FLAGS + (size_t)rows * words};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    pack<<<packed, THREADS, 0, stream>>>(p->n, (const element *)p->w, words, d[products % 2],
                                         changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<bits, 4><<<tiles, THREADS, 0, stream>>>(rows, words, d[from], d[to], &changed[i],
                                                       &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    unpack<<<packed, THREADS, 0, stream>>>(p->n, d[0], words, (element *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

LAB_EXPORT(apsp, {"or_and", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_SHORTS | LAB_APSP_LENGTHS | LAB_APSP_REACHES});
