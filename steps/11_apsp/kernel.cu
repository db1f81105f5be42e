// Step 11: all-pairs shortest paths. With "add" for "multiply" and "min" for "add" a product of
// matrices prolongs paths, and step 07's product becomes the heart of two algorithms: repeated
// squaring of the matrix of arcs (min_plus), and Floyd-Warshall in blocks (floyd_warshall_blocked),
// beside Floyd-Warshall as everybody knows it (floyd_warshall).
#include "families/apsp.h"

#include <limits.h>

constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256

// --- the forms that min(c, a + b) takes ----------------------------------------------------------

// All arithmetic is on 32-bit words, whatever the type. The forms differ in what a word holds, in
// the word that stands for "no path", which plus anything must not become a path, and in the
// instructions.
enum form {
    F32,        // a float that is not negative: two FADD, one VIMNMX3 for two k
    F32_SIGNED, // any float: FADD and FMNMX
    S32,        // an int that is not negative: VIADDMNMX.U32
    S32_SIGNED, // any int: VIADDMNMX; INT_MAX is kept as 2^30 - 1, so that twice it still fits
    U16,        // an unsigned short, widened: as S32
    U16_PAIR,   // two neighbours in a row, each below 2^15: VIADDMNMX.U16x2
};

// Where paths are wanted, a word has 64 bits: the distance above, and below it the number of arcs,
// which decides between paths of the same length. Without it, arcs of weight 0 could lead from one
// to the other and back.
template <bool PATHS> struct word_of {
    typedef unsigned type;
};
template <> struct word_of<true> {
    typedef unsigned long long type;
};

// What the matrix that is worked on has for a word, or for two.
template <int FORM, bool PATHS> struct element {
    typedef typename word_of<PATHS>::type type;
};
template <> struct element<U16, false> {
    typedef unsigned short type;
};
template <> struct element<U16_PAIR, false> {
    typedef unsigned short type;
};

// What the matrices that come and go have.
template <int FORM> struct outside {
    typedef typename element<FORM, false>::type type;
};

template <int FORM> static __device__ __host__ constexpr unsigned no_path()
{
    return FORM == F32 || FORM == F32_SIGNED ? 0x7F800000 // +infinity
           : FORM == S32                     ? 0x7FFFFFFF // as unsigned: twice it is no overflow
           : FORM == S32_SIGNED              ? 0x3FFFFFFF
           : FORM == U16                     ? 0xFFFF
                                             : 0x7FFF7FFF;
}

// True when path x is shorter than y.
template <int FORM> static __device__ __forceinline__ bool shorter(unsigned x, unsigned y)
{
    if (FORM == F32 || FORM == F32_SIGNED)
        return __uint_as_float(x) < __uint_as_float(y);
    return FORM == S32_SIGNED ? (int)x < (int)y : x < y;
}
template <int FORM>
static __device__ __forceinline__ bool shorter(unsigned long long x, unsigned long long y)
{
    const unsigned x_length = x >> 32, y_length = y >> 32;
    const bool less = shorter<FORM>(x_length, y_length), more = shorter<FORM>(y_length, x_length);
    return less | (!more & ((unsigned)x < (unsigned)y)); // no branches
}

template <int FORM> static __device__ __forceinline__ unsigned sum(unsigned a, unsigned b)
{
    if (FORM == F32 || FORM == F32_SIGNED)
        return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
    return a + b;
}
template <int FORM>
static __device__ __forceinline__ unsigned long long sum(unsigned long long a, unsigned long long b)
{
    const unsigned length = sum<FORM>((unsigned)(a >> 32), (unsigned)(b >> 32));
    return (unsigned long long)length << 32 | ((unsigned)a + (unsigned)b);
}

// min(c, a + b)
template <int FORM>
static __device__ __forceinline__ unsigned relax(unsigned c, unsigned a, unsigned b)
{
    if (FORM == F32 || FORM == F32_SIGNED)
        return __float_as_uint(fminf(__uint_as_float(c), __uint_as_float(sum<FORM>(a, b))));
    if (FORM == S32_SIGNED)
        return __viaddmin_s32(a, b, c);
    return FORM == U16_PAIR ? __viaddmin_u16x2(a, b, c) : __viaddmin_u32(a, b, c);
}

// min(c, a + b, d + e). Floats that are not negative lie in the order of their bits, and of
// integers the hardware finds the least of three at once: FADD has a pipe of its own, FMNMX and
// VIMNMX3 share a slower one, and one of the latter does for two additions.
template <int FORM>
static __device__ __forceinline__ unsigned relax2(unsigned c, unsigned a, unsigned b, unsigned d,
                                                  unsigned e)
{
    if (FORM == F32)
        return __vimin3_s32(c, sum<FORM>(a, b), sum<FORM>(d, e));
    return relax<FORM>(relax<FORM>(c, a, b), d, e);
}

// --- the product: c = min(c, A B) ----------------------------------------------------------------

// Both tiles of a block, double buffered, as in step 07: (buffer, k, rows) and (buffer, k, columns)
template <int VALUES, class W> struct tile_pair {
    static constexpr int SIZE = SIDE * VALUES; // 128 or 64 rows, and words across
    static constexpr int K = 64 / VALUES;      // each thread loads four elements of A
    static constexpr int PAD = 4;
    W a[2][K][SIZE + PAD];
    W b[2][K][SIZE];
};

// A thread's distances, and where paths are wanted the last vertex that made one shorter.
template <int VALUES, bool PATHS> struct values {
    typename word_of<PATHS>::type c[VALUES][VALUES];
    int via[PATHS ? VALUES : 1][PATHS ? VALUES : 1];
};

// Four words, moved at once.
template <class W> struct __align__(16) quad
{
    W v[4];
};

// First of a thread's rows in the tile; they are row_of(first, 0 ..). Of the columns likewise.
template <int VALUES> static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * (4 * VALUES) + thread % 32 / 16 * 8 + thread % 2 * 4;
}
template <int VALUES> static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * (8 * VALUES) + thread / 2 % 8 * 4;
}
static __device__ __forceinline__ int row_of(int first, int r)
{
    return first + r / 4 * 16 + r % 4;
}
static __device__ __forceinline__ int col_of(int first, int q)
{
    return first + q / 4 * 32 + q % 4;
}

// Four elements in a row of A, a word each; a pair takes the element twice.
template <int FORM, class W> static __device__ __forceinline__ quad<W> load_a(const W *from)
{
    return *(const quad<W> *)from;
}
template <int FORM>
static __device__ __forceinline__ quad<unsigned> load_a(const unsigned short *from)
{
    uint2 v = *(const uint2 *)from;
    if (FORM == U16)
        return {v.x & 0xFFFF, v.x >> 16, v.y & 0xFFFF, v.y >> 16};
    v = make_uint2(__vminu2(v.x, 0x7FFF7FFF), __vminu2(v.y, 0x7FFF7FFF));
    return {__byte_perm(v.x, 0, 0x1010), __byte_perm(v.x, 0, 0x3232), __byte_perm(v.y, 0, 0x1010),
            __byte_perm(v.y, 0, 0x3232)};
}

// Four words of a row of B or C: four elements, or eight.
template <int FORM, class W> static __device__ __forceinline__ quad<W> load_b(const W *from)
{
    return load_a<FORM>(from);
}
template <int FORM>
static __device__ __forceinline__ quad<unsigned> load_b(const unsigned short *from)
{
    if (FORM == U16)
        return load_a<FORM>(from);
    const uint4 v = *(const uint4 *)from;
    return {__vminu2(v.x, 0x7FFF7FFF), __vminu2(v.y, 0x7FFF7FFF), __vminu2(v.z, 0x7FFF7FFF),
            __vminu2(v.w, 0x7FFF7FFF)};
}

template <int FORM, class W> static __device__ __forceinline__ void store4(W *to, const W *c)
{
    *(quad<W> *)to = {c[0], c[1], c[2], c[3]};
}
template <int FORM>
static __device__ __forceinline__ void store4(unsigned short *to, const unsigned *c)
{
    if (FORM == U16)
        *(uint2 *)to = make_uint2(c[0] | c[1] << 16, c[2] | c[3] << 16);
    else // what has reached 2^15 - 1 is no path: all ones
        *(uint4 *)to =
            make_uint4(c[0] | __vcmpeq2(c[0], 0x7FFF7FFF), c[1] | __vcmpeq2(c[1], 0x7FFF7FFF),
                       c[2] | __vcmpeq2(c[2], 0x7FFF7FFF), c[3] | __vcmpeq2(c[3], 0x7FFF7FFF));
}

// Elements of a row that one word holds.
template <int FORM> static constexpr int PER_WORD = FORM == U16_PAIR ? 2 : 1;

// Stores what was loaded to the tiles, A's transposed: see step 07.
template <int VALUES, class W>
static __device__ __forceinline__ void deposit(struct tile_pair<VALUES, W> &tiles, int now,
                                               const quad<W> &a_next, const quad<W> &b_next)
{
    typedef struct tile_pair<VALUES, W> T;
    const int a_k = threadIdx.x % (T::K / 4) * 4, a_row = threadIdx.x / (T::K / 4);
    const int b_k = threadIdx.x / (T::SIZE / 4), b_col = threadIdx.x % (T::SIZE / 4) * 4;
    tiles.a[now][a_k + 0][a_row] = a_next.v[0];
    tiles.a[now][a_k + 1][a_row] = a_next.v[1];
    tiles.a[now][a_k + 2][a_row] = a_next.v[2];
    tiles.a[now][a_k + 3][a_row] = a_next.v[3];
    *(quad<W> *)&tiles.b[now][b_k][b_col] = b_next;
}

// Copies runs of 4 neighbours, `apart` words apart, from a row of a tile to registers.
template <int VALUES, class W>
static __device__ __forceinline__ void pick(W (&values)[VALUES], const W *tile, int apart)
{
#pragma unroll
    for (int i = 0; i < VALUES; i += 4)
        *(quad<W> *)&values[i] = *(const quad<W> *)&tile[i / 4 * apart];
}

// One k, where only distances are wanted.
template <int FORM, int VALUES>
static __device__ __forceinline__ void multiply(struct values<VALUES, false> &own,
                                                const unsigned (&a)[VALUES],
                                                const unsigned (&b)[VALUES], int)
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            own.c[r][q] = relax<FORM>(own.c[r][q], a[r], b[q]);
        }
}

// And where paths are: those that became shorter pass through `vertex`.
template <int FORM, int VALUES>
static __device__ __forceinline__ void multiply(struct values<VALUES, true> &own,
                                                const unsigned long long (&a)[VALUES],
                                                const unsigned long long (&b)[VALUES], int vertex)
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int r = 0; r < VALUES; ++r) {
            const unsigned long long through = sum<FORM>(a[r], b[q]);
            const bool better = shorter<FORM>(through, own.c[r][q]);
            own.c[r][q] = better ? through : own.c[r][q];
            own.via[r][q] = better ? vertex : own.via[r][q];
        }
}

// Two k, in an order in which neighbours share an operand, as in step 07.
template <int FORM, int VALUES>
static __device__ __forceinline__ void multiply2(struct values<VALUES, false> &own,
                                                 const unsigned (&a)[2][VALUES],
                                                 const unsigned (&b)[2][VALUES], int)
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            own.c[r][q] = relax2<FORM>(own.c[r][q], a[0][r], b[0][q], a[1][r], b[1][q]);
        }
}
template <int FORM, int VALUES>
static __device__ __forceinline__ void
multiply2(struct values<VALUES, true> &own, const unsigned long long (&a)[2][VALUES],
          const unsigned long long (&b)[2][VALUES], int vertex)
{
    multiply<FORM>(own, a[0], b[0], vertex);
    multiply<FORM>(own, a[1], b[1], vertex + 1);
}

// c = min(c, A B) for a tile: A begins at `a`, with the tile's first row, B at `b`, with its first
// column; both have rows of n elements, and k is a multiple of the tile's. All k loads are done
// behind it, and all threads with the tiles.
template <int FORM, int VALUES, bool PATHS, class W>
static __device__ __forceinline__ void
product(struct values<VALUES, PATHS> &own, struct tile_pair<VALUES, W> &tiles,
        const typename element<FORM, PATHS>::type *a, const typename element<FORM, PATHS>::type *b,
        size_t n, int k, int vertex)
{
    typedef struct tile_pair<VALUES, W> T;
    const int thread = threadIdx.x;
    const int ty = first_row_of<VALUES>(thread), tx = first_col_of<VALUES>(thread);
    a += (size_t)(thread / (T::K / 4)) * n + thread % (T::K / 4) * 4;
    b += (size_t)(thread / (T::SIZE / 4)) * n + thread % (T::SIZE / 4) * 4 * PER_WORD<FORM>;
    int now = 0; // the buffer being read; the other one is being filled
    quad<W> a_next = load_a<FORM>(a), b_next = load_b<FORM>(b);
    deposit(tiles, now, a_next, b_next);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll(VALUES == 8 && FORM != F32 ? 2 : 1)
    for (int next = T::K; next <= k; next += T::K) {
        if (next < k) {
            a += T::K;
            b += T::K * n;
            a_next = load_a<FORM>(a);
            b_next = load_b<FORM>(b);
        }
#pragma unroll(PATHS ? 1 : T::K / 2)
        for (int i = 0; i < T::K; i += 2) {
            W a_value[2][VALUES], b_value[2][VALUES];
            pick(a_value[0], &tiles.a[now][i][ty], 16);
            pick(b_value[0], &tiles.b[now][i][tx], 32);
            pick(a_value[1], &tiles.a[now][i + 1][ty], 16);
            pick(b_value[1], &tiles.b[now][i + 1][tx], 32);
            multiply2<FORM>(own, a_value, b_value, vertex + next - T::K + i);
        }
        now = 1 - now;
        deposit(tiles, now, a_next, b_next); // in the last turn once more, for nobody
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
}

// A thread's part of the tile at `from`, rows of n elements, and of the vertices passed.
template <int FORM, int VALUES, bool PATHS>
static __device__ __forceinline__ void load_tile(struct values<VALUES, PATHS> &own,
                                                 const typename element<FORM, PATHS>::type *from,
                                                 const int *via, size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const size_t at = row_of(ty, r) * n + col_of(tx, q) * PER_WORD<FORM>;
            *(quad<typename word_of<PATHS>::type> *)&own.c[r][q] = load_b<FORM>(from + at);
            if (PATHS)
                *(int4 *)&own.via[PATHS ? r : 0][PATHS ? q : 0] = *(const int4 *)(via + at);
        }
}

template <int FORM, int VALUES, bool PATHS>
static __device__ __forceinline__ void store_tile(const struct values<VALUES, PATHS> &own,
                                                  typename element<FORM, PATHS>::type *to, int *via,
                                                  size_t n)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const size_t at = row_of(ty, r) * n + col_of(tx, q) * PER_WORD<FORM>;
            store4<FORM>(to + at, &own.c[r][q]);
            if (PATHS)
                *(int4 *)(via + at) = *(const int4 *)&own.via[PATHS ? r : 0][PATHS ? q : 0];
        }
}

// --- Floyd-Warshall, one launch for each k -------------------------------------------------------

// As figure 5 of the paper has it, a thread for each (i, j). Row k and column k are what all others
// read in this launch, and they stay as they are, for the way from k to k is 0: nobody writes them.
template <int FORM, bool PATHS>
static __global__ void through_vertex(int n, int k, typename element<FORM, PATHS>::type *d,
                                      int *via)
{
    const unsigned across = (n - 1) / THREADS + 1;
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j;
    typedef typename word_of<PATHS>::type W;
    const W through = sum<FORM>((W)d[(size_t)i * n + k], (W)d[(size_t)k * n + j]);
    if (!shorter<FORM>(through, (W)d[at]))
        return;
    d[at] = through;
    if (PATHS)
        via[at] = k;
}

// --- Floyd-Warshall in blocks --------------------------------------------------------------------

// Row k and column k of the tile that a block holds in registers, for all its threads; in turns.
template <int VALUES, class W> struct cross {
    W row[2][SIDE * VALUES];
    W col[2][SIDE * VALUES];
};

template <int VALUES, class W> union shared_space {
    struct tile_pair<VALUES, W> tiles;
    struct cross<VALUES, W> cross;
};

// Puts row (as_row) or column INDEX of a thread's values where the others read it.
template <int INDEX, int VALUES, bool PATHS, class W>
static __device__ __forceinline__ void show(const struct values<VALUES, PATHS> &own, W *shown,
                                            bool as_row, int first)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        shown[as_row ? col_of(first, i) : row_of(first, i)] =
            as_row ? own.c[INDEX][i] : own.c[i][INDEX];
}

// Vertex k + I of the tile, k a multiple of 4. The threads that hold its row and its column show
// them; which of a thread's registers these are must be known when compiling, hence two branches.
template <int FORM, int I, int VALUES, bool PATHS, class W>
static __device__ __forceinline__ void
close_vertex(struct values<VALUES, PATHS> &own, struct cross<VALUES, W> &cross, int k, int vertex)
{
    constexpr int UPPER = VALUES - 4; // begin of a thread's second run of 4, if it has one
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    W *row = cross.row[I % 2], *col = cross.col[I % 2];
    if (row_of(ty, 0) == k)
        show<I>(own, row, true, tx);
    else if (row_of(ty, UPPER) == k)
        show<UPPER + I>(own, row, true, tx);
    if (col_of(tx, 0) == k)
        show<I>(own, col, false, ty);
    else if (col_of(tx, UPPER) == k)
        show<UPPER + I>(own, col, false, ty);
    __syncthreads(); // this cross is complete, and all have read the other one
    W a[VALUES], b[VALUES];
    pick(a, &col[ty], 16);
    pick(b, &row[tx], 32);
    multiply<FORM>(own, a, b, vertex + k + I);
}

// Phase 1: Floyd-Warshall within the tile that the block holds, k after k.
template <int FORM, int VALUES, bool PATHS, class W>
static __device__ __forceinline__ void close_tile(struct values<VALUES, PATHS> &own,
                                                  struct cross<VALUES, W> &cross, int vertex)
{
    for (int k = 0; k < SIDE * VALUES; k += 4) {
        close_vertex<FORM, 0>(own, cross, k, vertex);
        close_vertex<FORM, 1>(own, cross, k, vertex);
        close_vertex<FORM, 2>(own, cross, k, vertex);
        close_vertex<FORM, 3>(own, cross, k, vertex);
    }
}

// Phase 1 of the first round. All later ones are done by `rest` on the way.
template <int FORM, int VALUES, bool PATHS>
static __global__
__launch_bounds__(THREADS) void diagonal(size_t n, typename element<FORM, PATHS>::type *d, int *via)
{
    __shared__ __align__(16) struct cross<VALUES, typename word_of<PATHS>::type> cross;
    struct values<VALUES, PATHS> own;
    load_tile<FORM>(own, d, via, n);
    close_tile<FORM>(own, cross, 0);
    store_tile<FORM>(own, d, via, n);
}

// Phase 2: the tiles beside the diagonal one and those above and below it, a block each. What the
// closed tile says of all ways within it, one product brings to the others. A block reads its own
// tile as an operand until the product is done, and nobody else does: it may then write it.
template <int FORM, int VALUES, bool PATHS>
static __global__ __launch_bounds__(THREADS, 2) void panels(size_t n, int round,
                                                            typename element<FORM, PATHS>::type *d,
                                                            int *via)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) struct tile_pair<VALUES, typename word_of<PATHS>::type> tiles;
    const int rounds = n / SIZE;
    const bool above = blockIdx.x & 1; // a tile of the column of tiles
    const int other = (round + 1 + blockIdx.x / 2) % rounds;
    const size_t middle = (size_t)round * SIZE * (n + 1);
    const size_t at = (size_t)(above ? other : round) * SIZE * n + (above ? round : other) * SIZE;
    struct values<VALUES, PATHS> own;
    load_tile<FORM>(own, d + at, via + at, n);
    product<FORM>(own, tiles, d + (above ? at : middle), d + (above ? middle : at), n, SIZE,
                  round * SIZE);
    store_tile<FORM>(own, d + at, via + at, n);
}

// Phase 3: all other tiles, a product of two panels each: nearly all of the work. The first block
// has the tile that is the next round's diagonal, and closes it while the others are at work.
template <int FORM, int VALUES, bool PATHS>
static __global__ __launch_bounds__(THREADS, 2) void rest(size_t n, int round,
                                                          typename element<FORM, PATHS>::type *d,
                                                          int *via)
{
    constexpr int SIZE = SIDE * VALUES;
    __shared__ __align__(16) union shared_space<VALUES, typename word_of<PATHS>::type> shared;
    const int rounds = n / SIZE;
    const int down = (round + 1 + blockIdx.x / (rounds - 1)) % rounds; // never `round`
    const int across = (round + 1 + blockIdx.x % (rounds - 1)) % rounds;
    const size_t row = (size_t)down * SIZE * n, middle = (size_t)round * SIZE;
    const size_t at = row + across * SIZE;
    struct values<VALUES, PATHS> own;
    load_tile<FORM>(own, d + at, via + at, n);
    product<FORM>(own, shared.tiles, d + row + middle, d + middle * n + across * SIZE, n, SIZE,
                  round * SIZE);
    if (blockIdx.x == 0 && round + 1 < rounds)
        close_tile<FORM>(own, shared.cross, (round + 1) * SIZE);
    store_tile<FORM>(own, d + at, via + at, n);
}

// --- repeated squaring ---------------------------------------------------------------------------

// What a product leaves behind for the next one.
struct outcome {
    unsigned changed; // not 0: some path became shorter, so the next one may find more
    unsigned largest; // distance, of unsigned shorts: decides whether pairs can hold the sums
};

// Unsigned shorts come in two forms, and one of the two has the turn.
template <int FORM, bool PATHS>
static __device__ __forceinline__ bool has_turn(const struct outcome *before)
{
    if (!before->changed || PATHS)
        return before->changed;
    const bool in_pairs = before->largest <= 0x3FFF; // a sum of two is below 2^15 - 1
    return FORM == U16 ? !in_pairs : FORM == U16_PAIR ? in_pairs : true;
}

// The largest distance in a word.
template <int FORM> static __device__ __forceinline__ unsigned distance_in(unsigned word)
{
    if (FORM == U16)
        return word == no_path<U16>() ? 0 : word;
    word &= ~__vcmpeq2(word, no_path<U16_PAIR>());
    return word >> 16 > (word & 0xFFFF) ? word >> 16 : word & 0xFFFF;
}

// Compares a block's new distances with the old ones; the findings of all blocks go to `after`.
template <int FORM, int VALUES, bool PATHS>
static __device__ __forceinline__ void report(const struct values<VALUES, PATHS> &own,
                                              const typename element<FORM, PATHS>::type *from,
                                              size_t n, struct outcome *after)
{
    const int ty = first_row_of<VALUES>(threadIdx.x), tx = first_col_of<VALUES>(threadIdx.x);
    constexpr bool SHORT = (FORM == U16 || FORM == U16_PAIR) && !PATHS;
    bool changed = false;
    unsigned largest = 0;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const quad<typename word_of<PATHS>::type> old =
                load_b<FORM>(from + row_of(ty, r) * n + col_of(tx, q) * PER_WORD<FORM>);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                changed |= own.c[r][q + i] != old.v[i];
                if (SHORT)
                    largest = max(largest, distance_in<FORM>(own.c[r][q + i]));
            }
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(&after->changed, 1);
    if (!SHORT)
        return;
    largest = __reduce_max_sync(0xFFFFFFFF, largest);
    if (threadIdx.x % 32 == 0)
        atomicMax(&after->largest, largest);
}

// Blocks on an SM. Two k of floats at a time leave no register for a sum on its way to the least of
// three when two blocks share the registers: one block that has them all is faster.
static constexpr int blocks_for_square(int form)
{
    return form == F32 ? 1 : 2;
}

// to = min(from, from from): the shortest paths of twice as many arcs. Nothing is done where the
// product before changed nothing, and both matrices hold the same.
template <int FORM, int VALUES, bool PATHS>
static __global__ __launch_bounds__(THREADS, blocks_for_square(FORM)) void square(
    size_t n, const typename element<FORM, PATHS>::type *__restrict__ from,
    typename element<FORM, PATHS>::type *__restrict__ to, const int *__restrict__ via_from,
    int *__restrict__ via_to, const struct outcome *before, struct outcome *after)
{
    typedef struct tile_pair<VALUES, typename word_of<PATHS>::type> T;
    constexpr int ACROSS = T::SIZE * PER_WORD<FORM>;
    __shared__ __align__(16) T tiles;
    if (!has_turn<FORM, PATHS>(before))
        return;
    const size_t row = blockIdx.x / (unsigned)(n / ACROSS) * T::SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / ACROSS) * ACROSS;
    struct values<VALUES, PATHS> own;
    load_tile<FORM>(own, from + row + col, via_from + row + col, n);
    product<FORM>(own, tiles, from + row, from + col, n, n, 0);
    store_tile<FORM>(own, to + row + col, via_to + row + col, n);
    report<FORM>(own, from + row + col, n, after);
}

// --- in and out ----------------------------------------------------------------------------------

constexpr int COPIED = 16; // elements that a thread copies, THREADS apart

// An element of a matrix. A block copies COPIED * THREADS of them, one behind the other.
struct place {
    int row, col;
};
static __device__ __forceinline__ struct place first_place(int columns)
{
    const size_t at = (size_t)blockIdx.x * (COPIED * THREADS) + threadIdx.x;
    return {(int)(at / columns), (int)(at % columns)};
}
static __device__ __forceinline__ void advance(struct place &at, int columns)
{
    for (at.col += THREADS; at.col >= columns; at.col -= columns)
        ++at.row;
}

// The matrix of arcs to the matrix that is worked on, whose rows may be longer and which may have
// more of them, without arcs: tiles are then whole, and no kernel asks where the matrix ends.
template <int FORM, bool PATHS>
static __global__ void copy_in(int n, int padded, const typename outside<FORM>::type *w,
                               typename element<FORM, PATHS>::type *d, int *via,
                               struct outcome *outcome)
{
    struct place at = first_place(padded);
    unsigned largest = 0;
#pragma unroll 4
    for (int i = 0; i < COPIED && at.row < padded; ++i, advance(at, padded)) {
        const size_t to = (size_t)at.row * padded + at.col;
        unsigned word = no_path<FORM>();
        if (at.row < n && at.col < n)
            word = w[(size_t)at.row * n + at.col];
        if (FORM == S32_SIGNED && word == INT_MAX)
            word = no_path<S32_SIGNED>();
        if (FORM == U16)
            largest = max(largest, distance_in<U16>(word));
        if (PATHS) {
            const unsigned arcs = at.row != at.col && word != no_path<FORM>();
            d[to] = (unsigned long long)word << 32 | arcs;
            via[to] = -1;
        } else {
            d[to] = word;
        }
    }
    if (!outcome)
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        outcome->changed = 1;
    largest = __reduce_max_sync(0xFFFFFFFF, largest);
    if (FORM == U16 && threadIdx.x % 32 == 0)
        atomicMax(&outcome->largest, largest);
}

// The way back. `d` and `to` may be the same matrix.
template <int FORM, bool PATHS>
static __global__ void copy_out(int n, int padded, const typename element<FORM, PATHS>::type *d,
                                typename outside<FORM>::type *to)
{
    struct place at = first_place(n);
#pragma unroll 4
    for (int i = 0; i < COPIED && at.row < n; ++i, advance(at, n)) {
        unsigned word = d[(size_t)at.row * padded + at.col] >> (PATHS ? 32 : 0);
        if (FORM == S32_SIGNED && (int)word >= (int)no_path<FORM>() / 2) // lowered on the way
            word = INT_MAX;
        to[(size_t)at.row * n + at.col] = word;
    }
}

// Where a path's first arc leads: from the last vertex passed to the last one on the way there,
// until there is none.
template <int FORM>
static __global__ void first_steps(int n, int padded, const int *via,
                                   const typename outside<FORM>::type *d, int *next)
{
    const unsigned across = (n - 1) / THREADS + 1;
    const int row = blockIdx.x / across;
    const int col = blockIdx.x % across * THREADS + threadIdx.x;
    if (col >= n)
        return;
    const unsigned own = d[(size_t)row * n + col];
    int step = -1;
    if (row != col && own != (FORM == S32_SIGNED ? INT_MAX : no_path<FORM>())) {
        int passed = col;
        for (int i = 0; i < n && passed >= 0; ++i) { // n: a wrong `via` must not lead in circles
            step = passed;
            passed = via[(size_t)row * padded + step];
        }
    }
    next[(size_t)row * n + col] = step;
}

// --- launches ------------------------------------------------------------------------------------

constexpr int SMALL = 1024; // up to here tiles of 64: more blocks, each done sooner

static int values_for(const struct lab_apsp *p)
{
    return p->n <= SMALL || p->next ? 4 : 8;
}

// Rows of the matrix that is worked on: whole tiles, and whole tiles of pairs.
static int padded_size(const struct lab_apsp *p)
{
    const int size = SIDE * values_for(p) * (p->type == LAB_APSP_U16 ? 2 : 1);
    return (p->n + size - 1) / size * size;
}

static size_t element_size(const struct lab_apsp *p)
{
    return p->next                   ? sizeof(unsigned long long)
           : p->type == LAB_APSP_U16 ? sizeof(unsigned short)
                                     : sizeof(unsigned);
}

constexpr int PRODUCTS = 32; // at most, for as many vertices as an int can count

// The scratch memory: up to two matrices of distances, as many of vertices passed, and what the
// products found. `matrices` is 0, 1 or 2; a matrix that needs no padding is the output itself.
struct scratch {
    int padded;
    void *d[2];
    int *via[2];
    struct outcome *outcome;
    size_t bytes;
};

static struct scratch scratch_of(const struct lab_apsp *p, int padded, int matrices)
{
    const size_t count = (size_t)padded * padded;
    struct scratch s = {padded, {p->d, p->d}, {NULL, NULL}, NULL, 0};
    char *base = (char *)p->workspace;
    for (int i = 0; i < matrices; ++i) {
        if (i == 0 && padded == p->n && !p->next)
            continue;
        s.d[i] = base + s.bytes;
        s.bytes += (count * element_size(p) + 255) / 256 * 256;
    }
    for (int i = 0; i < matrices && p->next; ++i) {
        s.via[i] = (int *)(base + s.bytes);
        s.bytes += (count * sizeof(int) + 255) / 256 * 256;
    }
    s.outcome = (struct outcome *)(base + s.bytes);
    s.bytes += (PRODUCTS + 1) * sizeof(struct outcome);
    return s;
}

// Blocks of THREADS threads, one for each element of a square matrix; rows begin with a block.
static unsigned blocks_for(int n)
{
    return (unsigned)n * ((n - 1) / THREADS + 1);
}

// Blocks that copy a square matrix.
static unsigned copying_blocks(int n)
{
    return (unsigned)(((size_t)n * n - 1) / (COPIED * THREADS) + 1);
}

template <int FORM, bool PATHS>
static cudaError_t begin(const struct lab_apsp *p, const struct scratch *s, int matrix,
                         struct outcome *outcome, cudaStream_t stream)
{
    if (outcome) {
        const size_t bytes = (PRODUCTS + 1) * sizeof *outcome;
        const cudaError_t status = cudaMemsetAsync(outcome, 0, bytes, stream);
        if (status != cudaSuccess)
            return status;
    }
    copy_in<FORM, PATHS><<<copying_blocks(s->padded), THREADS, 0, stream>>>(
        p->n, s->padded, (const typename outside<FORM>::type *)p->w,
        (typename element<FORM, PATHS>::type *)s->d[matrix], s->via[matrix], outcome);
    return cudaGetLastError();
}

template <int FORM, bool PATHS>
static cudaError_t finish(const struct lab_apsp *p, const struct scratch *s, int matrix,
                          cudaStream_t stream)
{
    typedef typename outside<FORM>::type O;
    if (s->d[matrix] != p->d || FORM == S32_SIGNED)
        copy_out<FORM, PATHS><<<copying_blocks(p->n), THREADS, 0, stream>>>(
            p->n, s->padded, (const typename element<FORM, PATHS>::type *)s->d[matrix], (O *)p->d);
    if (PATHS)
        first_steps<FORM><<<blocks_for(p->n), THREADS, 0, stream>>>(p->n, s->padded, s->via[matrix],
                                                                    (const O *)p->d, p->next);
    return cudaGetLastError();
}

static cudaError_t tell(const struct lab_apsp *p, int done, int total, cudaStream_t stream)
{
    return p->progress ? p->progress->mark(p->progress, done, total, stream) : cudaSuccess;
}

template <int FORM, bool PATHS>
static cudaError_t plain(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename element<FORM, PATHS>::type E;
    const struct scratch s = scratch_of(p, p->n, 1);
    cudaError_t status = begin<FORM, PATHS>(p, &s, 0, NULL, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<FORM, PATHS>
            <<<blocks_for(p->n), THREADS, 0, stream>>>(p->n, k, (E *)s.d[0], s.via[0]);
        status = cudaGetLastError();
        if (status == cudaSuccess)
            status = tell(p, k + 1, p->n, stream);
    }
    return status == cudaSuccess ? finish<FORM, PATHS>(p, &s, 0, stream) : status;
}

template <int FORM, int VALUES, bool PATHS>
static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename element<FORM, PATHS>::type E;
    const struct scratch s = scratch_of(p, padded_size(p), 1);
    const int rounds = s.padded / (SIDE * VALUES);
    E *d = (E *)s.d[0];
    cudaError_t status = begin<FORM, PATHS>(p, &s, 0, NULL, stream);
    if (status != cudaSuccess)
        return status;
    diagonal<FORM, VALUES, PATHS><<<1, THREADS, 0, stream>>>(s.padded, d, s.via[0]);
    for (int round = 0; round < rounds && rounds > 1 && status == cudaSuccess; ++round) {
        panels<FORM, VALUES, PATHS>
            <<<2 * (rounds - 1), THREADS, 0, stream>>>(s.padded, round, d, s.via[0]);
        rest<FORM, VALUES, PATHS>
            <<<(rounds - 1) * (rounds - 1), THREADS, 0, stream>>>(s.padded, round, d, s.via[0]);
        status = cudaGetLastError();
        if (status == cudaSuccess)
            status = tell(p, round + 1, rounds, stream);
    }
    return status == cudaSuccess ? finish<FORM, PATHS>(p, &s, 0, stream) : status;
}

// Products of the matrix of arcs with itself until paths of n - 1 arcs are found: ceil(log2(n -
// 1)).
static int products_needed(const struct lab_apsp *p)
{
    int products = 0;
    const long long arcs = p->negative ? p->n : p->n - 1; // of a negative cycle there may be n
    while (products < PRODUCTS && 1LL << products < arcs)
        ++products;
    return p->products > 0 && p->products < products ? p->products : products;
}

template <int FORM, int VALUES, bool PATHS>
static cudaError_t square_once(const struct scratch *s, int from, int product, cudaStream_t stream)
{
    typedef typename element<FORM, PATHS>::type E;
    const int to = 1 - from;
    const unsigned tiles = s->padded / (SIDE * VALUES);
    square<FORM, VALUES, PATHS><<<tiles * tiles / PER_WORD<FORM>, THREADS, 0, stream>>>(
        s->padded, (const E *)s->d[from], (E *)s->d[to], s->via[from], s->via[to],
        &s->outcome[product], &s->outcome[product + 1]);
    return cudaGetLastError();
}

// The last product must write matrix 0, which may be the output.
template <int FORM, int VALUES, bool PATHS>
static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    const struct scratch s = scratch_of(p, padded_size(p), 2);
    const int products = products_needed(p);
    cudaError_t status = begin<FORM, PATHS>(p, &s, products % 2, s.outcome, stream);
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2;
        status = square_once<FORM, VALUES, PATHS>(&s, from, i, stream);
        if (FORM == U16 && !PATHS && status == cudaSuccess)
            status = square_once<U16_PAIR, VALUES, false>(&s, from, i, stream);
        if (status == cudaSuccess)
            status = tell(p, i + 1, products, stream);
    }
    return status == cudaSuccess ? finish<FORM, PATHS>(p, &s, 0, stream) : status;
}

static size_t plain_workspace(const struct lab_apsp *p)
{
    return scratch_of(p, p->n, 1).bytes;
}
static size_t blocked_workspace(const struct lab_apsp *p)
{
    return scratch_of(p, padded_size(p), 1).bytes;
}
static size_t squared_workspace(const struct lab_apsp *p)
{
    return scratch_of(p, padded_size(p), 2).bytes;
}

template <int FORM> static cudaError_t launch_plain(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->next ? plain<FORM, true>(p, stream) : plain<FORM, false>(p, stream);
}
template <int FORM> static cudaError_t launch_blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->next)
        return blocked<FORM, 4, true>(p, stream);
    return values_for(p) == 4 ? blocked<FORM, 4, false>(p, stream)
                              : blocked<FORM, 8, false>(p, stream);
}
template <int FORM> static cudaError_t launch_squared(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->next)
        return squared<FORM, 4, true>(p, stream);
    return values_for(p) == 4 ? squared<FORM, 4, false>(p, stream)
                              : squared<FORM, 8, false>(p, stream);
}

// The form that the problem's type and weights ask for.
#define LAUNCH(algorithm)                                                                          \
    static cudaError_t algorithm(const struct lab_apsp *p, cudaStream_t stream)                    \
    {                                                                                              \
        if (p->type == LAB_APSP_F32)                                                               \
            return p->negative ? launch_##algorithm<F32_SIGNED>(p, stream)                         \
                               : launch_##algorithm<F32>(p, stream);                               \
        if (p->type == LAB_APSP_S32)                                                               \
            return p->negative ? launch_##algorithm<S32_SIGNED>(p, stream)                         \
                               : launch_##algorithm<S32>(p, stream);                               \
        return launch_##algorithm<U16>(p, stream);                                                 \
    }
LAUNCH(plain)
LAUNCH(blocked)
LAUNCH(squared)

LAB_EXPORT(apsp, {"floyd_warshall", plain, plain_workspace},
           {"floyd_warshall_blocked", blocked, blocked_workspace},
           {"min_plus", squared, squared_workspace, LAB_APSP_SQUARES});
