// Step 11.23: the paths of Floyd-Warshall in three phases, as in stage 11.9.
#include "families/apsp.h"

#include <limits.h>

constexpr int SIDE = 16, THREADS = SIDE * SIDE; // a block has SIDE x SIDE threads
constexpr int SIZE = 4 * SIDE, K = 16;          // of a tile: four words of A, of B a thread
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
struct quad {
    alignas(16) word v[4]; // moved at once
};
// Both tiles of a block, double buffered.
struct tile_pair {
    word a[2][K][SIZE + 4]; // (buffer, k, rows); 4: see deposit() of step 07
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
static __device__ __forceinline__ void deposit(struct tile_pair &tiles, int now,
                                               const struct quad &a_next, const struct quad &b_next)
{
    const int a_k = threadIdx.x % (K / 4) * 4, a_row = threadIdx.x / (K / 4);
    const int b_k = threadIdx.x / (SIZE / 4), b_col = threadIdx.x % (SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(struct quad *)&tiles.b[now][b_k][b_col] = b_next; // B is not turned
}
// One k: the paths that become shorter pass through `vertex`.
template <int FORM>
static __device__ __forceinline__ void multiply(struct values &own, const struct quad &a,
                                                const struct quad &b, int vertex)
{
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const word through = sum<FORM>(a.v[r], b.v[q]);
            const bool better = shorter<FORM>(through, own.c[r][q]); // no branches here either
            own.c[r][q] = better ? through : own.c[r][q];
            own.via[r][q] = better ? vertex : own.via[r][q];
        }
}

// c = min(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n words, k is a multiple of the tile's, and its first is `vertex`.
template <int FORM>
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
    struct quad a_next = *(const struct quad *)a, b_next = *(const struct quad *)b;
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll 1
    for (int next = K; next <= k; next += K) {
        // These are on their way while the tiles are read; the last turn has none to load.
        if (next < k) {
            a += K;
            b += K * n;
            a_next = *(const struct quad *)a;
            b_next = *(const struct quad *)b;
        }
        // 32 results of some ten instructions each make a turn: unrolled, the loop would be long.
#pragma unroll 1
        for (int i = 0; i < K; i += 2) {
            const struct quad a0 = *(const struct quad *)&tiles.a[now][i][ty];
            const struct quad b0 = *(const struct quad *)&tiles.b[now][i][tx];
            const struct quad a1 = *(const struct quad *)&tiles.a[now][i + 1][ty];
            const struct quad b1 = *(const struct quad *)&tiles.b[now][i + 1][tx];
            multiply<FORM>(own, a0, b0, vertex + next - K + i);
            multiply<FORM>(own, a1, b1, vertex + next - K + i + 1);
        }
        now = 1 - now;
        deposit(tiles, now, a_next, b_next); // in the last turn once more, though none reads it
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
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
        const struct quad there = *(const struct quad *)(BACK ? own.c[r] : d + at);
        *(struct quad *)(BACK ? d + at : own.c[r]) = there;
        *(int4 *)(BACK ? via + at : own.via[r]) = *(const int4 *)(BACK ? own.via[r] : via + at);
    }
}

// Phase 1: Floyd-Warshall within the tile on the diagonal, k after k, by one block. Row k and
// column k stay as they are while all threads read them.
template <int FORM>
static __global__ __launch_bounds__(4 * THREADS) void diagonal(size_t n, int round, word *d,
                                                               int *via)
{
    const size_t middle = (size_t)round * SIZE * (n + 1); // where the diagonal tile begins
    d += middle;
    via += middle;
    for (int k = 0; k < SIZE; ++k) {
#pragma unroll 4
        for (int i = threadIdx.x / SIZE; i < SIZE; i += 4 * THREADS / SIZE) {
            const int j = threadIdx.x % SIZE;
            const word through = sum<FORM>(d[i * n + k], d[k * n + j]);
            if (i != k && j != k && shorter<FORM>(through, d[i * n + j])) {
                d[i * n + j] = through;
                via[i * n + j] = round * SIZE + k;
            }
        }
        __syncthreads(); // what is behind k is complete: row and column k + 1 are read next
    }
}

// Phase 2: the tiles in the row and the column of the diagonal one: a product with it, a block
// each. No other block reads its tile, so it may write it when its own product is done.
template <int FORM>
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
    product<FORM>(own, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE,
                  round * SIZE);
    move_tile<true>(own, d + at, via + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work.
template <int FORM>
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
    product<FORM>(own, tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE,
                  round * SIZE);
    move_tile<true>(own, d + at, via + at, n);
}

// What stands for "no path" in the matrices that come and go, and in the words here. Signed,
// INT_MAX is kept as 2^30 - 1, so that twice it still fits.
struct no_path {
    unsigned outside, inside;
};
// The matrix of arcs to one of words, of whole tiles: 64 x 64 elements a block.
template <class E>
static __global__ void copy_in(int n, int padded, const E *w, struct no_path no_path, word *d,
                               int *via)
{
    const unsigned across = (padded - 1) / 64 + 1,
                   col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= padded || col >= padded)
            continue;
        unsigned length = row < n && col < n ? w[row * n + col] : no_path.outside;
        if (length == no_path.outside)
            length = no_path.inside; // which no sum may overflow
        d[row * padded + col] = (word)length << 32 | (row != col && length != no_path.inside);
        via[row * padded + col] = -1; // no vertex between: the arc itself
    }
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
// The scratch memory: a matrix of words, and the last vertices passed.
static size_t workspace(const struct lab_apsp *p)
{
    const size_t padded = (p->n + SIZE - 1) / SIZE * SIZE; // whole tiles
    return padded * padded * (sizeof(word) + sizeof(int));
}
// A phase reads what the one before wrote, in other blocks: each is a launch.
template <int FORM, class E>
static cudaError_t blocked(const struct lab_apsp *p, struct no_path no_path, cudaStream_t stream)
{
    const int rounds = (p->n - 1) / SIZE + 1, others = rounds - 1, padded = rounds * SIZE;
    word *d = (word *)p->workspace;
    int *via = (int *)(d + (size_t)padded * padded); // behind the words
    copy_in<<<rounds * rounds, THREADS, 0, stream>>>(p->n, padded, (const E *)p->w, no_path, d,
                                                     via);
    cudaError_t status = cudaGetLastError();
    for (int round = 0; round < rounds && status == cudaSuccess; ++round) {
        diagonal<FORM><<<1, 4 * THREADS, 0, stream>>>(padded, round, d, via);
        if (others > 0) {
            panels<FORM><<<2 * others, THREADS, 0, stream>>>(padded, round, d, via);
            rest<FORM><<<others * others, THREADS, 0, stream>>>(padded, round, d, via);
        }
        status = lab_apsp_tell(p, round + 1, rounds, stream);
    }
    copy_out<<<rounds * rounds, THREADS, 0, stream>>>(p->n, padded, d, via, no_path, (E *)p->d,
                                                      p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32) // +infinity
        return blocked<F32, unsigned>(p, {0x7F800000, 0x7F800000}, stream);
    if (p->type == LAB_APSP_U16)
        return blocked<S32, unsigned short>(p, {0xFFFF, 0xFFFF}, stream); // widened
    return p->negative ? blocked<S32_SIGNED, unsigned>(p, {INT_MAX, 0x3FFFFFFF}, stream)
                       : blocked<S32, unsigned>(p, {INT_MAX, INT_MAX}, stream);
}

LAB_EXPORT(apsp, {"three_phases", launch, workspace, LAB_APSP_PATHS});
