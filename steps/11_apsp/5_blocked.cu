// Step 11.5: Floyd-Warshall in blocks. A round takes a tile of vertices, in three phases, and
// nearly all of it is products of tiles. The tile on the diagonal is closed in registers, and the
// third phase closes the next one on the way: its first block has that tile.
#include "families/apsp.h"
#include "semiring/product.h"
#include "semiring/squaring.h"

// Puts row `index` of a thread's values (as_row), or that column, where the others read it.
template <int VALUES>
static __device__ __forceinline__ void show(const word (&c)[VALUES][VALUES], int index, bool as_row,
                                            word *shown, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[semiring_nth(first, i, as_row ? SEMIRING_STRIDE_N : SEMIRING_STRIDE_M)] =
            as_row ? c[index][i] : c[i][index];
}
// Vertex k + i of a block's tile, k a multiple of 4. The threads that hold its row and its column
// show them in `cross`: rows in 0 and 1 by turns, columns in 2 and 3. Which of a thread's registers
// these are must be known when compiling, hence a branch for each of its runs of 4, one or two.
template <class S, int VALUES>
static __device__ __forceinline__ void
close_vertex(word (&c)[VALUES][VALUES], word (*cross)[SEMIRING_SIDE * VALUES], int k, int i)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x), tx = semiring_col<S, VALUES>(threadIdx.x);
    word *row = cross[i % 2], *col = cross[2 + i % 2]; // the others may be reading the last ones
    if (ty == k)
        show(c, i, true, row, tx);
    else if (semiring_nth(ty, VALUES - 4, SEMIRING_STRIDE_M) == k)
        show(c, VALUES - 4 + i, true, row, tx);
    if (tx == k)
        show(c, i, false, col, ty);
    else if (semiring_nth(tx, VALUES - 4, SEMIRING_STRIDE_N) == k)
        show(c, VALUES - 4 + i, false, col, ty);
    __syncthreads();                 // this cross is complete, and all have read the other one
    word a[1][VALUES], b[1][VALUES]; // of one k
    semiring_load_fragment(a[0], &col[ty], SEMIRING_STRIDE_M);
    semiring_load_fragment(b[0], &row[tx], SEMIRING_STRIDE_N);
    semiring_outer_product<S>(c, a, b);
}
// Floyd-Warshall within the tile.
template <class S, int VALUES>
static __device__ __forceinline__ void close_tile(word (&c)[VALUES][VALUES],
                                                  word (*cross)[SEMIRING_SIDE * VALUES])
{
    for (int k = 0; k < SEMIRING_SIDE * VALUES; k += 4) {
        close_vertex<S>(c, cross, k, 0);
        close_vertex<S>(c, cross, k, 1);
        close_vertex<S>(c, cross, k, 2);
        close_vertex<S>(c, cross, k, 3);
    }
}
// Phase 1 of the first round: the tile on the diagonal, by one block. The later ones `rest` does.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>) void diagonal(size_t n,
                                                                       typename S::element *d)
{
    __shared__ __align__(16) word cross[4][SEMIRING_SIDE * VALUES];
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    semiring_move_tile<S, false>(c, d, n);
    close_tile<S>(c, cross);
    semiring_move_tile<S, true>(c, d, n);
}

// Phase 2: the tiles in the row and the column of the diagonal one: a product with it, a block
// each. No other block reads its tile, so it may write it when its own product is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>, 2) void panels(size_t n, int round,
                                                                        typename S::element *d)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1;                       // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds; // never `round`
    const size_t middle = (size_t)round * SIZE * (n + 1);    // where the diagonal tile begins
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    semiring_move_tile<S, false>(c, d + at, n);
    semiring_product<S, 2>(c, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE);
    semiring_move_tile<S, true>(c, d + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work. The first block
// has the tile that is the next round's diagonal, and closes it while the others are at work.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>, 2) void rest(size_t n, int round,
                                                                      typename S::element *d)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE; // its own tile; the panels lie in `row` and at `middle`
    word c[VALUES][VALUES];
    semiring_move_tile<S, false>(c, d + at, n);
    semiring_product<S, 2>(c, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds)
        close_tile<S>(c, (word(*)[SIZE]) & tiles); // in their place: all have read them
    semiring_move_tile<S, true>(c, d + at, n);
}

// A matrix to one of whole tiles, or BACK.
template <class S, bool BACK>
static __global__ void copy(int n_from, const typename S::element *from, int n_to,
                            typename S::element *to)
{
    semiring_copy<S, BACK>(n_from, from, n_to, to);
}

// The scratch memory: a matrix, where the output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const int size = p->n <= SEMIRING_SMALL ? SEMIRING_SIDE * 4 : SEMIRING_SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    return padded == (size_t)p->n ? 0 : padded * padded * lab_apsp_bytes(p->type);
}

// A phase reads what the one before wrote, in other blocks: each is a launch.
template <class S, int VALUES>
static cudaError_t blocked_in(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int rounds = (p->n - 1) / (SEMIRING_SIDE * VALUES) + 1, others = rounds - 1;
    const int padded = rounds * SEMIRING_SIDE * VALUES, patches = padded / 64; // patches are copied
    element *d = (element *)(padded == p->n ? p->d : p->workspace);
    copy<S, false><<<patches * patches, SEMIRING_THREADS<S>, 0, stream>>>(
        p->n, (const element *)p->w, padded, d);
    cudaError_t status = cudaGetLastError();
    diagonal<S, VALUES><<<1, SEMIRING_THREADS<S>, 0, stream>>>(padded, d);
    for (int round = 0; round < rounds && others > 0 && status == cudaSuccess; ++round) {
        panels<S, VALUES><<<2 * others, SEMIRING_THREADS<S>, 0, stream>>>(padded, round, d);
        rest<S, VALUES><<<others * others, SEMIRING_THREADS<S>, 0, stream>>>(padded, round, d);
        status = lab_apsp_tell(p, round + 1, rounds, stream);
    }
    if (d != p->d || S::CONVERTS)
        copy<S, true><<<patches * patches, SEMIRING_THREADS<S>, 0, stream>>>(padded, d, p->n,
                                                                             (element *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
template <class S> static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SEMIRING_SMALL ? blocked_in<S, 4>(p, stream) : blocked_in<S, 8>(p, stream);
}

// A semiring for each type, and for weights of both signs.
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->semiring == LAB_APSP_MAX_PLUS)
        return p->negative ? blocked<max_plus_f32>(p, stream)
                           : blocked<max_plus_f32_bits>(p, stream);
    if (p->semiring == LAB_APSP_OR_AND)
        return blocked<or_and_u16>(p, stream);
    if (p->type == LAB_APSP_U16)
        return blocked<min_plus_u16>(p, stream);
    if (p->type == LAB_APSP_F32)
        return p->negative ? blocked<min_plus_f32>(p, stream)
                           : blocked<min_plus_f32_bits>(p, stream);
    return p->negative ? blocked<min_plus_s32_signed>(p, stream) : blocked<min_plus_s32>(p, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall_blocked", launch, workspace,
                  LAB_APSP_LENGTHS | LAB_APSP_SHORTEST | LAB_APSP_LONGEST | LAB_APSP_REACHES});
