// Step 11.8: the paths themselves. Each pair keeps the last vertex that made its path shorter;
// followed back, these lead to the vertex after the first. The algorithms are those of stages 11.1,
// 11.3 and 11.5, for words of 64 bits: a thread has room for 4 x 4 of them and their vertices.
#include "families/apsp.h"
#include "semiring/product.h"
#include "semiring/squaring.h"

constexpr int THREADS = SEMIRING_SIDE * SEMIRING_SIDE, SIZE = 4 * SEMIRING_SIDE; // SIZE: of a tile
typedef unsigned long long path; // what is computed with: a length and a number of arcs

// As in stage 11.1, makes paths shorter that may now pass through vertex k.
template <class S> static __global__ void through_vertex(int n, int k, path *d, int *via)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across, j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    const path through = S::multiply(d[(size_t)i * n + k], d[(size_t)k * n + j]);
    if (!S::better(through, d[at])) // no path joined with any path is none, which is not better
        return;
    d[at] = through;
    via[at] = k;
}

// A thread's distances, and of each the last vertex that made it shorter.
struct values {
    path c[4][4];  // in registers: every index is known when compiling
    int via[4][4]; // -1: no vertex between
};
// Fragments of COUNT k: paths that become shorter through them pass through vertices k, k + 1 ...
template <class S, int COUNT>
static __device__ __forceinline__ void semiring_outer_product(struct values &own,
                                                              const path (&a)[COUNT][4],
                                                              const path (&b)[COUNT][4], int k)
{
#pragma unroll
    for (int j = 0; j < COUNT; ++j)
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const path through = S::multiply(a[j][r], b[j][q]);
                const bool better = S::better(through, own.c[r][q]); // no branches here either
                own.c[r][q] = better ? through : own.c[r][q];
                own.via[r][q] = better ? k + j : own.via[r][q];
            }
}

// Moves a thread's part of the tile at `d`, and of the vertices passed, to registers, or BACK.
template <class S, bool BACK>
static __device__ __forceinline__ void move_tile(struct values &own, path *d, int *via, size_t n)
{
    typedef typename S::four four;
    const int ty = semiring_row<S, 4>(threadIdx.x), tx = semiring_col<S, 4>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const size_t at = (ty + r) * n + tx;
        *(four *)(BACK ? d + at : own.c[r]) = *(const four *)(BACK ? own.c[r] : d + at);
        *(int4 *)(BACK ? via + at : own.via[r]) = *(const int4 *)(BACK ? own.via[r] : via + at);
    }
}

// to = min(from, from from): see stage 11.3.
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void square(size_t n, const path *__restrict__ from,
                                                            path *__restrict__ to,
                                                            const int *__restrict__ via_from,
                                                            int *__restrict__ via_to,
                                                            const unsigned *before, unsigned *after)
{
    __shared__ __align__(16) semiring_tiles<S, 4> tiles;
    if (!*before)
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    struct values own;
    move_tile<S, false>(own, (path *)from + row + col, (int *)via_from + row + col, n);
    semiring_product<S, 2>(own, tiles, from + row, from + col, n, n);
    move_tile<S, true>(own, to + row + col, via_to + row + col, n);
    semiring_report<S>(own.c, from + row + col, n, after);
}

// Floyd-Warshall within a block's tile, whose first vertex is `first`: see stage 11.5.
template <class S>
static __device__ __forceinline__ void close_tile(struct values &own, path (*cross)[SIZE],
                                                  int first)
{
    typedef typename S::four four;
    const int ty = semiring_row<S, 4>(threadIdx.x), tx = semiring_col<S, 4>(threadIdx.x);
    for (int k = 0; k < SIZE; k += 4)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            path *row = cross[i % 2], *col = cross[2 + i % 2]; // others may be reading the last
            if (ty == k)
                *(four *)&row[tx] = {own.c[i][0], own.c[i][1], own.c[i][2], own.c[i][3]};
            if (tx == k)
                *(four *)&col[ty] = {own.c[0][i], own.c[1][i], own.c[2][i], own.c[3][i]};
            __syncthreads(); // this cross is complete, and all have read the other one
            path a[1][4], b[1][4];
            semiring_load_fragment(a[0], &col[ty], 0);
            semiring_load_fragment(b[0], &row[tx], 0);
            semiring_outer_product<S>(own, a, b, first + k + i);
        }
}
// The three phases of a round.
template <class S>
static __global__ __launch_bounds__(THREADS) void diagonal(size_t n, path *d, int *via)
{
    __shared__ __align__(16) path cross[4][SIZE];
    struct values own;
    move_tile<S, false>(own, d, via, n);
    close_tile<S>(own, cross, 0);
    move_tile<S, true>(own, d, via, n);
}
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void panels(size_t n, int round, path *d, int *via)
{
    __shared__ __align__(16) semiring_tiles<S, 4> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1;
    const int other = (round + 1 + blockIdx.x / 2) % rounds;
    const size_t middle = (size_t)round * SIZE * (n + 1);
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    struct values own;
    move_tile<S, false>(own, d + at, via + at, n);
    semiring_product<S, 2>(own, tiles, d + (above ? at : middle), d + (above ? middle : at), n,
                           SIZE, round * SIZE);
    move_tile<S, true>(own, d + at, via + at, n);
}
template <class S>
static __global__ __launch_bounds__(THREADS, 2) void rest(size_t n, int round, path *d, int *via)
{
    __shared__ __align__(16) semiring_tiles<S, 4> tiles;
    const int rounds = n / SIZE, down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds;
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE;
    struct values own;
    move_tile<S, false>(own, d + at, via + at, n);
    semiring_product<S, 2>(own, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE,
                           round * SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds) // in the tiles' place: all have read them
        close_tile<S>(own, (path(*)[SIZE]) & tiles, (round + 1) * SIZE);
    move_tile<S, true>(own, d + at, via + at, n);
}

// The matrix of arcs to one of words, of whole tiles: 64 x 64 elements a block.
template <class S>
static __global__ void copy_in(int n, int padded, const typename S::element *w, path *d, int *via,
                               unsigned *changed)
{
    const unsigned tiles = (padded - 1) / 64 + 1, col = blockIdx.x % tiles * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / tiles * 64;
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
static __global__ void copy_out(int n, int padded, const path *d, const int *via,
                                typename S::element *lengths, int *next)
{
    const unsigned tiles = (padded - 1) / 64 + 1, col = blockIdx.x % tiles * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / tiles * 64;
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

// The algorithms: of stage 11.1, of 11.3 and of 11.5.
enum form { PLAIN, SQUARED, BLOCKED };
static int padded_size(enum form form, const struct lab_apsp *p)
{
    return form == PLAIN ? p->n : (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
}
// The scratch memory: what each product says to the next, a matrix of words, or two for products,
// and as many of the last vertices passed.
template <enum form FORM> static size_t workspace(const struct lab_apsp *p)
{
    const size_t padded = padded_size(FORM, p), words = (FORM == SQUARED ? 2 : 1) * padded * padded;
    return SEMIRING_FLAGS * sizeof(unsigned) + words * (sizeof(path) + sizeof(int));
}
template <class S>
static cudaError_t find(enum form form, const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int padded = padded_size(form, p), tiles = (p->n - 1) / SIZE + 1, others = tiles - 1;
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    const int products = form == SQUARED ? lab_apsp_products(p) : 0;
    const int launches = form == PLAIN ? p->n : form == SQUARED ? products : others ? tiles : 0;
    const size_t count = (size_t)padded * padded, second = form == SQUARED ? count : 0;
    unsigned *changed = (unsigned *)p->workspace;
    path *words = (path *)(changed + SEMIRING_FLAGS), *d[2] = {words, words + second};
    int *vias = (int *)(words + second + count), *via[2] = {vias, vias + second};
    const size_t flags = (products + 1) * sizeof *changed;
    cudaError_t status = products ? cudaMemsetAsync(changed, 0, flags, stream) : cudaSuccess;
    copy_in<S><<<tiles * tiles, THREADS, 0, stream>>>(p->n, padded, (const element *)p->w,
                                                      d[products % 2], via[products % 2], changed);
    if (form == BLOCKED)
        diagonal<S><<<1, THREADS, 0, stream>>>(padded, d[0], via[0]);
    // Each launch finds what those before it have brought. The last product writes matrix 0.
    for (int i = 0; i < launches && status == cudaSuccess; ++i) {
        const int from = (launches - i) % 2, to = 1 - from;
        if (form == PLAIN) {
            through_vertex<S><<<blocks, THREADS, 0, stream>>>(p->n, i, d[0], via[0]);
        } else if (form == SQUARED) {
            square<S><<<tiles * tiles, THREADS, 0, stream>>>(padded, d[from], d[to], via[from],
                                                             via[to], &changed[i], &changed[i + 1]);
        } else {
            panels<S><<<2 * others, THREADS, 0, stream>>>(padded, i, d[0], via[0]);
            rest<S><<<others * others, THREADS, 0, stream>>>(padded, i, d[0], via[0]);
        }
        status = lab_apsp_tell(p, i + 1, launches, stream);
    }
    copy_out<S><<<tiles * tiles, THREADS, 0, stream>>>(p->n, padded, d[0], via[0], (element *)p->d,
                                                       p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
template <enum form FORM> static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32)
        return find<counted<min_plus_f32>>(FORM, p, stream);
    if (p->type == LAB_APSP_U16)
        return find<counted<min_plus_u16>>(FORM, p, stream);
    return p->negative ? find<counted<min_plus_s32_signed>>(FORM, p, stream)
                       : find<counted<min_plus_s32>>(FORM, p, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall", launch<PLAIN>, workspace<PLAIN>, LAB_APSP_PATHS},
           {"min_plus", launch<SQUARED>, workspace<SQUARED>, LAB_APSP_SQUARES | LAB_APSP_PATHS},
           {"floyd_warshall_blocked", launch<BLOCKED>, workspace<BLOCKED>, LAB_APSP_PATHS});
