// Step 11.7: the first phase occupies one block of one SM, and all others wait for it. The third
// phase does it on the way: its first block has the tile that is next on the diagonal.
#include "families/apsp.h"

constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int SMALL = 1024; // up to so many vertices tiles of 64: more blocks, each done sooner
typedef unsigned word;      // what a matrix holds: the bits of a float
constexpr word NO_PATH = 0x7F800000; // +infinity
enum form { F32, F32_SIGNED };       // no weight is negative; any weights

static __device__ __forceinline__ word sum(word a, word b)
{
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
static __device__ __forceinline__ word relax(word c, word a, word b)
{
    return __float_as_uint(fminf(__uint_as_float(c), __uint_as_float(sum(a, b))));
}

// min(c, a + b, d + e). Floats that are not negative lie in the order of their bits, so the least
// of three is that of three integers: one instruction, where floats take two.
template <int FORM>
static __device__ __forceinline__ word relax2(word c, word a, word b, word d, word e)
{
    if (FORM == F32)
        return __vimin3_s32(c, sum(a, b), sum(d, e));
    return relax(relax(c, a, b), d, e);
}
struct __align__(16) quad // four words, moved at once
{
    word v[4];
};
// Both tiles of a block, double buffered, as in step 07. VALUES is 8, or 4 for few vertices.
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
static __device__ __forceinline__ int nth(int first, int i, int apart)
{
    return first + i / 4 * apart + i % 4;
}

// Stores what was loaded to the tiles, A's transposed.
template <int VALUES>
static __device__ __forceinline__ void deposit(struct tile_pair<VALUES> &tiles, int now,
                                               const struct quad &a_next, const struct quad &b_next)
{
    typedef struct tile_pair<VALUES> T;
    const int a_k = threadIdx.x % (T::K / 4) * 4, a_row = threadIdx.x / (T::K / 4);
    const int b_k = threadIdx.x / (T::SIZE / 4), b_col = threadIdx.x % (T::SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(struct quad *)&tiles.b[now][b_k][b_col] = b_next;
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
template <int FORM, int COUNT, int VALUES>
static __device__ __forceinline__ void
multiply(word (&c)[VALUES][VALUES], const word (&a)[COUNT][VALUES], const word (&b)[COUNT][VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i, last = COUNT - 1;
            c[r][q] = COUNT == 1 ? relax(c[r][q], a[0][r], b[0][q])
                                 : relax2<FORM>(c[r][q], a[0][r], b[0][q], a[last][r], b[last][q]);
        }
}

// c = min(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n words, and k is a multiple of the tile's.
template <int FORM, int VALUES>
static __device__ __forceinline__ void product(word (&c)[VALUES][VALUES],
                                               struct tile_pair<VALUES> &tiles, const word *a,
                                               const word *b, size_t n, int k)
{
    typedef struct tile_pair<VALUES> T;
    const int thread = threadIdx.x;
    const int ty = first_row_of<VALUES>(thread), tx = first_col_of<VALUES>(thread);
    a += (size_t)(thread / (T::K / 4)) * n + thread % (T::K / 4) * 4;
    b += (size_t)(thread / (T::SIZE / 4)) * n + thread % (T::SIZE / 4) * 4;
    int now = 0; // the buffer being read; the other one is being filled
    struct quad a_next = *(const struct quad *)a, b_next = *(const struct quad *)b;
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll(VALUES == 8 && FORM != F32 ? 2 : 1)
    for (int next = T::K; next <= k; next += T::K) {
        if (next < k) {
            a_next = *(const struct quad *)(a += T::K);
            b_next = *(const struct quad *)(b += T::K * n);
        }
#pragma unroll
        for (int i = 0; i < T::K; i += 2) {
            word a_value[2][VALUES], b_value[2][VALUES];
            pick(a_value[0], &tiles.a[now][i][ty], 16);
            pick(b_value[0], &tiles.b[now][i][tx], 32);
            pick(a_value[1], &tiles.a[now][i + 1][ty], 16);
            pick(b_value[1], &tiles.b[now][i + 1][tx], 32);
            multiply<FORM>(c, a_value, b_value);
        }
        now = 1 - now;
        deposit(tiles, now, a_next, b_next); // in the last turn once more, though none reads it
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
}

// Moves a thread's part of the tile at `d`, rows of n words, to its registers, or BACK.
template <bool BACK, int VALUES>
static __device__ __forceinline__ void move_tile(word (&c)[VALUES][VALUES], word *d, size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            struct quad *there = (struct quad *)(d + nth(ty, r, 16) * n + nth(tx, q, 32));
            if (BACK)
                *there = {c[r][q], c[r][q + 1], c[r][q + 2], c[r][q + 3]};
            else
                *(struct quad *)&c[r][q] = *there;
        }
}

// Puts row (as_row) or column INDEX of a thread's values where the others read it.
template <int INDEX, int VALUES>
static __device__ __forceinline__ void show(const word (&c)[VALUES][VALUES], word *shown,
                                            bool as_row, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[nth(first, i, as_row ? 32 : 16)] = as_row ? c[INDEX][i] : c[i][INDEX];
}

// Vertex k + I of a block's tile, k a multiple of 4. The threads that hold its row and its column
// show them in `cross`: rows in 0 and 1 by turns, columns in 2 and 3. Which of a thread's registers
// these are must be known when compiling, hence two branches.
template <int I, int VALUES>
static __device__ __forceinline__ void close_vertex(word (&c)[VALUES][VALUES],
                                                    word (&cross)[4][SIDE * VALUES], int k)
{
    constexpr int UPPER = VALUES - 4; // begin of a thread's second run of 4, if it has one
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    word *row = cross[I % 2], *col = cross[2 + I % 2];
    if (ty == k)
        show<I>(c, row, true, tx);
    else if (nth(ty, UPPER, 16) == k)
        show<UPPER + I>(c, row, true, tx);
    if (tx == k)
        show<I>(c, col, false, ty);
    else if (nth(tx, UPPER, 32) == k)
        show<UPPER + I>(c, col, false, ty);
    __syncthreads(); // this cross is complete, and all have read the other one
    word a[1][VALUES], b[1][VALUES];
    pick(a[0], &col[ty], 16);
    pick(b[0], &row[tx], 32);
    multiply<F32_SIGNED>(c, a, b);
}
// Phase 1: Floyd-Warshall within the tile.
template <int VALUES>
static __device__ __forceinline__ void close_tile(word (&c)[VALUES][VALUES],
                                                  word (&cross)[4][SIDE * VALUES])
{
    for (int k = 0; k < SIDE * VALUES; k += 4) {
        close_vertex<0>(c, cross, k);
        close_vertex<1>(c, cross, k);
        close_vertex<2>(c, cross, k);
        close_vertex<3>(c, cross, k);
    }
}
// Phase 1 of the first round; the later ones are done by `rest`.
template <int VALUES> static __global__ __launch_bounds__(THREADS) void diagonal(size_t n, word *d)
{
    __shared__ __align__(16) word cross[4][SIDE * VALUES];
    word c[VALUES][VALUES];
    move_tile<false>(c, d, n);
    close_tile(c, cross);
    move_tile<true>(c, d, n);
}

// Phase 2: the tiles in the row and the column of the diagonal one: a product with it, a block
// each. A block reads its own tile until the product is done, and no other does: it may then write
// it.
template <int FORM, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void panels(size_t n, int round, word *d)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1; // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds;
    const size_t middle = (size_t)round * SIZE * (n + 1);
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    move_tile<false>(c, d + at, n);
    product<FORM>(c, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE);
    move_tile<true>(c, d + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work. The first block
// has the tile that is the next round's diagonal, and closes it while the others are at work.
template <int FORM, int VALUES>
static __global__ __launch_bounds__(THREADS, 2) void rest(size_t n, int round, word *d)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) union {
        struct tile_pair<VALUES> tiles;
        word cross[4][SIZE]; // in the same place: the product is done by then
    } shared;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE,
                 at = row + across * SIZE;
    word c[VALUES][VALUES];
    move_tile<false>(c, d + at, n);
    product<FORM>(c, shared.tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds)
        close_tile(c, shared.cross);
    move_tile<true>(c, d + at, n);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, and back: 64 x 64 words a
// block.
static __global__ void copy(int n_from, const word *from, int n_to, word *to)
{
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64)
        if (row < n_to && col < n_to)
            to[row * n_to + col] =
                row < n_from && col < n_from ? from[row * n_from + col] : NO_PATH;
}

// Rows of the matrix that is worked on: whole tiles.
static int padded_size(const struct lab_apsp *p)
{
    const int size = p->n <= SMALL ? SIDE * 4 : SIDE * 8;
    return (p->n + size - 1) / size * size;
}

// The scratch memory: a matrix, where the output has no whole tiles.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t padded = padded_size(p);
    return padded == (size_t)p->n ? 0 : padded * padded * sizeof(word);
}

// A phase reads what the one before wrote, in other blocks: each is a launch.
template <int FORM, int VALUES>
static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    const int padded = padded_size(p), others = padded / (SIDE * VALUES) - 1;
    const unsigned patches = padded / 64; // in a row
    word *d = (word *)(padded == p->n ? p->d : p->workspace);
    copy<<<patches * patches, THREADS, 0, stream>>>(p->n, (const word *)p->w, padded, d);
    cudaError_t status = cudaGetLastError();
    diagonal<VALUES><<<1, THREADS, 0, stream>>>(padded, d);
    for (int round = 0; round <= others && others > 0 && status == cudaSuccess; ++round) {
        panels<FORM, VALUES><<<2 * others, THREADS, 0, stream>>>(padded, round, d);
        rest<FORM, VALUES><<<others * others, THREADS, 0, stream>>>(padded, round, d);
        status = lab_apsp_tell(p, round + 1, others + 1, stream);
    }
    if (d != p->d)
        copy<<<patches * patches, THREADS, 0, stream>>>(padded, d, p->n, (word *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->n <= SMALL)
        return p->negative ? blocked<F32_SIGNED, 4>(p, stream) : blocked<F32, 4>(p, stream);
    return p->negative ? blocked<F32_SIGNED, 8>(p, stream) : blocked<F32, 8>(p, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall_blocked", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
