// Step 11.5: Floyd-Warshall in blocks. A round takes a tile of vertices, in three phases, and
// nearly all of it is products of tiles. The tile on the diagonal is closed in registers, and the
// third phase closes the next one on the way: its first block has that tile.
#include "families/apsp.h"
#include "semirings.h"

constexpr int SIDE = 16, THREADS = SIDE * SIDE; // a block has SIDE x SIDE threads
constexpr int SMALL = 1024; // up to so many vertices tiles of 64: more blocks, each done sooner
typedef unsigned word;      // what is computed with, whatever the semiring

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
// COUNT k, 1 or 2, in an order in which neighbours share an operand: see step 07.
template <class S, int COUNT, int VALUES>
static __device__ __forceinline__ void
multiply(word (&c)[VALUES][VALUES], const word (&a)[COUNT][VALUES], const word (&b)[COUNT][VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i; // down one column, up the next
            if constexpr (COUNT == 1)
                c[r][q] = S::multiply_add(c[r][q], a[0][r], b[0][q]);
            else if constexpr (S::ADDS_THREE)
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
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll(VALUES == 8 && !S::ADDS_THREE ? 2 : 1)
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last iteration has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            a_next = S::spread4(a);
            b_next = S::load4(b);
        }
#pragma unroll
        for (int i = 0; i < K; i += 2) {
            word a_value[2][VALUES], b_value[2][VALUES];
            pick(a_value[0], &tiles.a[now][i][ty], APART_M);
            pick(b_value[0], &tiles.b[now][i][tx], APART_N);
            pick(a_value[1], &tiles.a[now][i + 1][ty], APART_M);
            pick(b_value[1], &tiles.b[now][i + 1][tx], APART_N);
            multiply<S>(c, a_value, b_value);
        }
        now = 1 - now;                       // what was filled is read next
        deposit(tiles, now, a_next, b_next); // in the last iteration too, though nothing reads it
        __syncthreads(); // the new tiles are complete, and all threads have read the old tiles
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
            typename S::element *there = d + nth(ty, r, APART_M) * n + nth(tx, q, APART_N);
            if (BACK)
                S::store4(there, &c[r][q]);
            else
                *(struct quad *)&c[r][q] = S::load4(there);
        }
}
// Puts row `index` of a thread's values (as_row), or that column, where the others read it.
template <int VALUES>
static __device__ __forceinline__ void show(const word (&c)[VALUES][VALUES], int index, bool as_row,
                                            word *shown, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[nth(first, i, as_row ? APART_N : APART_M)] = as_row ? c[index][i] : c[i][index];
}
// Vertex k + i of a block's tile, k a multiple of 4. The threads that hold its row and its column
// show them in `cross`: rows in 0 and 1 by turns, columns in 2 and 3. Which of a thread's registers
// these are must be known when compiling, hence a branch for each of its runs of 4, one or two.
template <class S, int VALUES>
static __device__ __forceinline__ void close_vertex(word (&c)[VALUES][VALUES],
                                                    word (*cross)[SIDE * VALUES], int k, int i)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    word *row = cross[i % 2], *col = cross[2 + i % 2]; // the others may be reading the last ones
    if (ty == k)
        show(c, i, true, row, tx);
    else if (nth(ty, VALUES - 4, APART_M) == k)
        show(c, VALUES - 4 + i, true, row, tx);
    if (tx == k)
        show(c, i, false, col, ty);
    else if (nth(tx, VALUES - 4, APART_N) == k)
        show(c, VALUES - 4 + i, false, col, ty);
    __syncthreads();                 // this cross is complete, and all have read the other one
    word a[1][VALUES], b[1][VALUES]; // of one k
    pick(a[0], &col[ty], APART_M);
    pick(b[0], &row[tx], APART_N);
    multiply<S>(c, a, b);
}
// Floyd-Warshall within the tile.
template <class S, int VALUES>
static __device__ __forceinline__ void close_tile(word (&c)[VALUES][VALUES],
                                                  word (*cross)[SIDE * VALUES])
{
    for (int k = 0; k < SIDE * VALUES; k += 4) {
        close_vertex<S>(c, cross, k, 0);
        close_vertex<S>(c, cross, k, 1);
        close_vertex<S>(c, cross, k, 2);
        close_vertex<S>(c, cross, k, 3);
    }
}
// Phase 1 of the first round: the tile on the diagonal, by one block. The later ones `rest` does.
template <class S, int VALUES>
static __global__ __launch_bounds__(THREADS) void diagonal(size_t n, typename S::element *d)
{
    __shared__ __align__(16) word cross[4][SIDE * VALUES];
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    move_tile<S, false>(c, d, n);
    close_tile<S>(c, cross);
    move_tile<S, true>(c, d, n);
}

// Phase 2: the tiles in the row and the column of the diagonal one: a product with it, a block
// each. No other block reads its tile, so it may write it when its own product is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void panels(size_t n, int round,
                                                            typename S::element *d)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1;                       // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds; // never `round`
    const size_t middle = (size_t)round * SIZE * (n + 1);    // where the diagonal tile begins
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    move_tile<S, false>(c, d + at, n);
    product<S>(c, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE);
    move_tile<S, true>(c, d + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work. The first block
// has the tile that is the next round's diagonal, and closes it while the others are at work.
template <class S, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void rest(size_t n, int round,
                                                          typename S::element *d)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES> tiles;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE; // its own tile; the panels lie in `row` and at `middle`
    word c[VALUES][VALUES];
    move_tile<S, false>(c, d + at, n);
    product<S>(c, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds)
        close_tile<S>(c, (word(*)[SIZE]) & tiles); // in their place: all have read them
    move_tile<S, true>(c, d + at, n);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, or BACK: 64 x 64 elements a
// block. No kernel then asks where the matrix ends.
template <class S, bool BACK>
static __global__ void copy(int n_from, const typename S::element *from, int n_to,
                            typename S::element *to)
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
}

// The scratch memory: a matrix, where the output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const int size = p->n <= SMALL ? SIDE * 4 : SIDE * 8;
    const size_t padded = (p->n + size - 1) / size * size; // whole tiles
    return padded == (size_t)p->n ? 0 : padded * padded * lab_apsp_bytes(p->type);
}

// A phase reads what the one before wrote, in other blocks: each is a launch.
template <class S, int VALUES>
static cudaError_t blocked_in(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const int rounds = (p->n - 1) / (SIDE * VALUES) + 1, others = rounds - 1;
    const int padded = rounds * SIDE * VALUES, patches = padded / 64; // patches are copied
    element *d = (element *)(padded == p->n ? p->d : p->workspace);
    copy<S, false>
        <<<patches * patches, THREADS, 0, stream>>>(p->n, (const element *)p->w, padded, d);
    cudaError_t status = cudaGetLastError();
    diagonal<S, VALUES><<<1, THREADS, 0, stream>>>(padded, d);
    for (int round = 0; round < rounds && others > 0 && status == cudaSuccess; ++round) {
        panels<S, VALUES><<<2 * others, THREADS, 0, stream>>>(padded, round, d);
        rest<S, VALUES><<<others * others, THREADS, 0, stream>>>(padded, round, d);
        status = lab_apsp_tell(p, round + 1, rounds, stream);
    }
    if (d != p->d || S::CONVERTS)
        copy<S, true><<<patches * patches, THREADS, 0, stream>>>(padded, d, p->n, (element *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
template <class S> static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SMALL ? blocked_in<S, 4>(p, stream) : blocked_in<S, 8>(p, stream);
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
