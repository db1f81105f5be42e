// Step 11.8: the paths themselves. Each pair keeps the last vertex that made its path shorter;
// followed back, these lead to the vertex after the first. The algorithms of stages
// 11.1, 11.3 and 11.5, for words of 64 bits: there is room for 4 x 4 distances in a thread, and as
// many vertices.
#include "families/apsp.h"
#include "semirings.h"

constexpr int SIDE = 16, THREADS = SIDE * SIDE;   // a block has SIDE x SIDE threads
constexpr int SIZE = 4 * SIDE, K = 16;            // of a tile: four words of A, of B a thread
constexpr int FLAGS = 2 * LAB_APSP_MOST_PRODUCTS; // more than one for each product

typedef unsigned long long word; // what is computed with: a length and a number of arcs

// --- through one vertex after another -----------------------------------------------------------

// Makes paths shorter that may now pass through vertex k: a thread for each (i, j), neighbours in a
// row of d. It loads 24 bytes (d[i][k] is one address for all threads of a warp) and does two
// operations with them, an addition and a comparison: memory is all that counts.
//
// All threads read row k and column k in this launch. They stay as they are: the path from k to k
// is 0, so no path that begins or ends in k gets shorter through k. Hence no thread may write them,
// and the threads need not wait for each other. What is not shorter is not written either.
template <class S> static __global__ void through_vertex(int n, int k, word *d, int *via)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    // No path joined with any path is again no path, which is not better.
    const word through = S::multiply(d[(size_t)i * n + k], d[(size_t)k * n + j]);
    if (!S::better(through, d[at]))
        return;
    d[at] = through;
    via[at] = k;
}

// --- products ------------------------------------------------------------------------------------

// Four words, moved at once.
struct paths {
    alignas(16) word v[4];
};
// Both tiles of a block, double buffered.
struct tile_pair {
    word a[2][K][SIZE + 4]; // (buffer, k, rows); 4: see store_panel() of step 07
    word b[2][K][SIZE];     // (buffer, k, columns)
};
// A thread's distances, and of each the last vertex that made it shorter.
struct values {
    word c[4][4];  // in registers: every index is known when compiling
    int via[4][4]; // -1: no vertex between
};
// The first of a thread's 4 rows and columns in the tile: see step 07.
static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * 16 + thread % 32 / 16 * 8 + thread % 2 * 4;
}
static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * 32 + thread / 2 % 8 * 4;
}
// Stores what was loaded to the tiles, A's transposed.
static __device__ __forceinline__ void store_panel(struct tile_pair &tiles, int now,
                                                   const struct paths &a_next,
                                                   const struct paths &b_next)
{
    const int a_k = threadIdx.x % (K / 4) * 4, a_row = threadIdx.x / (K / 4);
    const int b_k = threadIdx.x / (SIZE / 4), b_col = threadIdx.x % (SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(struct paths *)&tiles.b[now][b_k][b_col] = b_next; // B is not transposed
}
// One k: the paths that become shorter pass through `vertex`.
template <class S>
static __device__ __forceinline__ void multiply(struct values &own, const struct paths &a,
                                                const struct paths &b, int vertex)
{
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const word through = S::multiply(a.v[r], b.v[q]);
            const bool better = S::better(through, own.c[r][q]); // no branches here either
            own.c[r][q] = better ? through : own.c[r][q];
            own.via[r][q] = better ? vertex : own.via[r][q];
        }
}

// c = min(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n words, k is a multiple of the tile's, and its first is `vertex`.
template <class S>
static __device__ __forceinline__ void product(struct values &own, struct tile_pair &tiles,
                                               const word *a, const word *b, size_t n, int k,
                                               int vertex)
{
    const int thread = threadIdx.x;
    const int ty = first_row_of(thread), tx = first_col_of(thread);
    // What it loads: of A four neighbours along k, of B four in a row.
    a += (size_t)(thread / (K / 4)) * n + thread % (K / 4) * 4;
    b += (size_t)(thread / (SIZE / 4)) * n + thread % (SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct paths a_next = *(const struct paths *)a, b_next = *(const struct paths *)b;
    store_panel(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll 1
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            a_next = *(const struct paths *)a;
            b_next = *(const struct paths *)b;
        }
        // An iteration has 32 results of some ten instructions each: unrolled, it would be long.
#pragma unroll 1
        for (int i = 0; i < K; i += 2) {
            const struct paths a0 = *(const struct paths *)&tiles.a[now][i][ty];
            const struct paths b0 = *(const struct paths *)&tiles.b[now][i][tx];
            const struct paths a1 = *(const struct paths *)&tiles.a[now][i + 1][ty];
            const struct paths b1 = *(const struct paths *)&tiles.b[now][i + 1][tx];
            multiply<S>(own, a0, b0, vertex + next - K + i);
            multiply<S>(own, a1, b1, vertex + next - K + i + 1);
        }
        now = 1 - now;
        store_panel(tiles, now, a_next,
                    b_next); // in the last iteration too, though nothing reads it
        __syncthreads();     // the new tiles are complete, and all threads have read the old tiles
    }
}

// Moves a thread's part of the tile at `d`, and of the vertices passed, to registers, or BACK.
template <bool BACK>
static __device__ __forceinline__ void move_tile(struct values &own, word *d, int *via, size_t n)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const size_t at = (ty + r) * n + tx;
        const struct paths there = *(const struct paths *)(BACK ? own.c[r] : d + at);
        *(struct paths *)(BACK ? d + at : own.c[r]) = there;
        *(int4 *)(BACK ? via + at : own.via[r]) = *(const int4 *)(BACK ? own.via[r] : via + at);
    }
}

// Compares a block's new distances with the old ones at `from`.
static __device__ __forceinline__ void report(const struct values &own, const word *from, size_t n,
                                              unsigned *after)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
    bool changed = false;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const struct paths old = *(const struct paths *)(from + ((ty + r) * n + tx));
#pragma unroll
        for (int i = 0; i < 4; ++i)
            changed |= own.c[r][i] != old.v[i];
    }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(after, 1); // by one thread of a block
}

// to = min(from, from from): the shortest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void square(size_t n, const word *__restrict__ from,
                                                            word *__restrict__ to,
                                                            const int *__restrict__ via_from,
                                                            int *__restrict__ via_to,
                                                            const unsigned *before, unsigned *after)
{
    __shared__ __align__(16) struct tile_pair tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    struct values own;
    move_tile<false>(own, (word *)from + row + col, (int *)via_from + row + col, n);
    product<S>(own, tiles, from + row, from + col, n, n, 0);
    move_tile<true>(own, to + row + col, via_to + row + col, n);
    report(own, from + row + col, n, after);
}

// --- in blocks -----------------------------------------------------------------------------------

// Vertex k + I of a block's tile, k a multiple of 4. The threads that hold its row and its column
// show them in `cross`: rows in 0 and 1 by turns, columns in 2 and 3.
template <class S, int I>
static __device__ __forceinline__ void close_vertex(struct values &own, word (*cross)[SIZE], int k,
                                                    int vertex)
{
    const int ty = first_row_of(threadIdx.x), tx = first_col_of(threadIdx.x);
    word *row = cross[I % 2], *col = cross[2 + I % 2]; // the others may be reading the last ones
    if (ty == k)
        *(struct paths *)&row[tx] = {own.c[I][0], own.c[I][1], own.c[I][2], own.c[I][3]};
    if (tx == k)
        *(struct paths *)&col[ty] = {own.c[0][I], own.c[1][I], own.c[2][I], own.c[3][I]};
    __syncthreads(); // this cross is complete, and all have read the other one
    const struct paths a = *(const struct paths *)&col[ty], b = *(const struct paths *)&row[tx];
    multiply<S>(own, a, b, vertex + k + I);
}
// Floyd-Warshall within the tile, whose first vertex is `first`.
template <class S>
static __device__ __forceinline__ void close_tile(struct values &own, word (*cross)[SIZE],
                                                  int first)
{
    for (int k = 0; k < SIZE; k += 4) {
        close_vertex<S, 0>(own, cross, k, first);
        close_vertex<S, 1>(own, cross, k, first);
        close_vertex<S, 2>(own, cross, k, first);
        close_vertex<S, 3>(own, cross, k, first);
    }
}
// Phase 1 of the first round: the tile on the diagonal, by one block. The later ones `rest` does.
template <class S>
static __global__ __launch_bounds__(THREADS) void diagonal(size_t n, word *d, int *via)
{
    __shared__ __align__(16) word cross[4][SIZE];
    struct values own;
    move_tile<false>(own, d, via, n);
    close_tile<S>(own, cross, 0);
    move_tile<true>(own, d, via, n);
}
// Phase 2: the tiles in the row and the column of the diagonal one: a product with it, a block
// each. No other block reads its tile, so it may write it when its own product is done.
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void panels(size_t n, int round, word *d, int *via)
{
    __shared__ __align__(16) struct tile_pair tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1;                       // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds; // never `round`
    const size_t middle = (size_t)round * SIZE * (n + 1);    // where the diagonal tile begins
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    struct values own;
    move_tile<false>(own, d + at, via + at, n);
    product<S>(own, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE,
               round * SIZE);
    move_tile<true>(own, d + at, via + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work. The first block
// has the tile that is the next round's diagonal, and closes it while the others are at work.
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void rest(size_t n, int round, word *d, int *via)
{
    __shared__ __align__(16) struct tile_pair tiles;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE; // its own tile; the panels lie in `row` and at `middle`
    struct values own;
    move_tile<false>(own, d + at, via + at, n);
    product<S>(own, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE, round * SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds) // in the tiles' place: all have read them
        close_tile<S>(own, (word(*)[SIZE]) & tiles, (round + 1) * SIZE);
    move_tile<true>(own, d + at, via + at, n);
}

// --- to words and back ---------------------------------------------------------------------------

// The matrix of arcs to one of words, of whole tiles: 64 x 64 elements a block.
template <class S>
static __global__ void copy_in(int n, int padded, const typename S::element *w, word *d, int *via,
                               unsigned *changed)
{
    const unsigned across = (padded - 1) / 64 + 1,
                   col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= padded || col >= padded)
            continue;
        d[row * padded + col] =
            row < n && col < n ? S::enter(w[row * n + col], row != col) : S::zero;
        via[row * padded + col] = -1; // no vertex between: the arc itself
    }
    if (changed && blockIdx.x + threadIdx.x == 0)
        *changed = 1; // the first product is done in any case
}
// Words back to lengths, and where a path's first arc leads: from the last vertex passed to the
// last one on the path to that, until there is none.
template <class S>
static __global__ void copy_out(int n, int padded, const word *d, const int *via,
                                typename S::element *lengths, int *next)
{
    const unsigned across = (padded - 1) / 64 + 1,
                   col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= n || col >= n)
            continue;
        const typename S::element length = S::leave(d[row * padded + col]);
        lengths[row * n + col] = length;
        int step = -1, passed = row != col && length != S::leave(S::zero) ? (int)col : -1;
        for (int i = 0; i < n && passed >= 0; ++i) { // n: a wrong `via` must not lead in circles
            step = passed;
            passed = via[row * padded + step];
        }
        next[row * n + col] = step;
    }
}

// --- the three rows -----------------------------------------------------------------------------

// The scratch memory: words, and the last vertices passed.
static size_t plain_workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * (sizeof(word) + sizeof(int));
}

// A launch ends before the next one begins: each finds what all vertices before it have brought.
template <class S> static cudaError_t plain(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    const unsigned patches = (p->n - 1) / 64 + 1; // patches are copied
    word *d = (word *)p->workspace;
    int *via = (int *)(d + (size_t)p->n * p->n); // after the words
    copy_in<S><<<patches * patches, THREADS, 0, stream>>>(p->n, p->n, (const element *)p->w, d, via,
                                                          NULL);
    cudaError_t status = cudaGetLastError();
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<S><<<blocks, THREADS, 0, stream>>>(p->n, k, d, via);
        status = lab_apsp_tell(p, k + 1, p->n, stream);
    }
    copy_out<S>
        <<<patches * patches, THREADS, 0, stream>>>(p->n, p->n, d, via, (element *)p->d, p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

// What each product says to the next, two matrices, and their last vertices.
static size_t squared_workspace(const struct lab_apsp *p)
{
    const size_t padded = (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
    return FLAGS * sizeof(unsigned) + 2 * padded * padded * (sizeof(word) + sizeof(int));
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <class S> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int tiles = (p->n - 1) / SIZE + 1, padded = tiles * SIZE;
    const int products = lab_apsp_products(p); // a tile is 64 x 64: one is copied by a block
    const size_t count = (size_t)padded * padded;
    unsigned *changed = (unsigned *)p->workspace;
    word *scratch = (word *)(changed + FLAGS), *d[2] = {scratch, scratch + count};
    int *vias = (int *)(scratch + 2 * count), *via[2] = {vias, vias + count};
    cudaError_t status = cudaMemsetAsync(changed, 0, (products + 1) * sizeof *changed, stream);
    copy_in<S><<<tiles * tiles, THREADS, 0, stream>>>(p->n, padded, (const element *)p->w,
                                                      d[products % 2], via[products % 2], changed);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<S><<<tiles * tiles, THREADS, 0, stream>>>(padded, d[from], d[to], via[from], via[to],
                                                         &changed[i], &changed[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    copy_out<S><<<tiles * tiles, THREADS, 0, stream>>>(p->n, padded, d[0], via[0], (element *)p->d,
                                                       p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

// A matrix of words, and the last vertices passed.
static size_t blocked_workspace(const struct lab_apsp *p)
{
    const size_t padded = (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
    return padded * padded * (sizeof(word) + sizeof(int));
}

// A phase reads what the one before wrote, in other blocks: each is a launch.
template <class S> static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int rounds = (p->n - 1) / SIZE + 1, others = rounds - 1, padded = rounds * SIZE;
    word *d = (word *)p->workspace;
    int *via = (int *)(d + (size_t)padded * padded); // after the words
    copy_in<S><<<rounds * rounds, THREADS, 0, stream>>>(p->n, padded, (const element *)p->w, d, via,
                                                        NULL);
    cudaError_t status = cudaGetLastError();
    diagonal<S><<<1, THREADS, 0, stream>>>(padded, d, via);
    for (int round = 0; round < rounds && others > 0 && status == cudaSuccess; ++round) {
        panels<S><<<2 * others, THREADS, 0, stream>>>(padded, round, d, via);
        rest<S><<<others * others, THREADS, 0, stream>>>(padded, round, d, via);
        status = lab_apsp_tell(p, round + 1, rounds, stream);
    }
    copy_out<S>
        <<<rounds * rounds, THREADS, 0, stream>>>(p->n, padded, d, via, (element *)p->d, p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch_plain(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32)
        return plain<counted<min_plus_f32>>(p, stream);
    if (p->type == LAB_APSP_U16)
        return plain<counted<min_plus_u16>>(p, stream);
    return p->negative ? plain<counted<min_plus_s32_signed>>(p, stream)
                       : plain<counted<min_plus_s32>>(p, stream);
}
static cudaError_t launch_squared(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32)
        return squared<counted<min_plus_f32>>(p, stream);
    if (p->type == LAB_APSP_U16)
        return squared<counted<min_plus_u16>>(p, stream);
    return p->negative ? squared<counted<min_plus_s32_signed>>(p, stream)
                       : squared<counted<min_plus_s32>>(p, stream);
}
static cudaError_t launch_blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32)
        return blocked<counted<min_plus_f32>>(p, stream);
    if (p->type == LAB_APSP_U16)
        return blocked<counted<min_plus_u16>>(p, stream);
    return p->negative ? blocked<counted<min_plus_s32_signed>>(p, stream)
                       : blocked<counted<min_plus_s32>>(p, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall", launch_plain, plain_workspace, LAB_APSP_PATHS},
           {"min_plus", launch_squared, squared_workspace, LAB_APSP_SQUARES | LAB_APSP_PATHS},
           {"floyd_warshall_blocked", launch_blocked, blocked_workspace, LAB_APSP_PATHS});
