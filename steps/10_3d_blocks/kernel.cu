// Step 10: C[k][l] = sum over i, j of (A[l][i][j] B[k][i][j] + A[k][i][j] B[l][i][j]) / 2, for l >=
// k alone, in double precision. Half of a square grid has nothing to do; as the two halves of the
// sum are each other's mirror image, the idle half can take one of them. What is left is a plain
// product of long rows, D = B A', which the last row cuts along the sum, too.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

// One dimension of a grid of tiles, `side` elements each.
static __host__ __device__ constexpr int tiles(int n, int side)
{
    return (n - 1) / side + 1;
}

// Blocks are numbered row by row: a grid's y side ends at 65535.
static __device__ int2 corner(int n, int side)
{
    return make_int2((int)blockIdx.x % tiles(n, side) * side,
                     (int)blockIdx.x / tiles(n, side) * side);
}

// --- a thread per element ------------------------------------------------------------------------

constexpr int GLOBAL_SIDE = 32;

static __global__ __launch_bounds__(GLOBAL_SIDE *GLOBAL_SIDE) void global(int n, int p, int q,
                                                                          const double *a,
                                                                          const double *b,
                                                                          double *c)
{
    const int2 first = corner(n, GLOBAL_SIDE);
    const int k = first.y + threadIdx.y, l = first.x + threadIdx.x;
    if (k > l || l >= n) // half of the threads have nothing to do
        return;
    const double *a_k = a + (size_t)k * p * q, *a_l = a + (size_t)l * p * q;
    const double *b_k = b + (size_t)k * p * q, *b_l = b + (size_t)l * p * q;
    double sum = 0.0;
    for (int i = 0; i < p; ++i)
        for (int j = 0; j < q; ++j) {
            const size_t at = (size_t)i * q + j;
            sum += a_l[at] * b_k[at] + a_k[at] * b_l[at];
        }
    c[(size_t)k * n + l] = 0.5 * sum;
}

// --- tiles in shared memory ----------------------------------------------------------------------

// Of SIDE rows, I by J of the values that are summed over.
template <int SIDE, int I, int J, int PAD> struct tile_of {
    double row[SIDE][I * J + PAD];
};

// Loads rows first .. first + SIDE - 1, zeros where there is nothing. A row of the block's threads
// takes neighbours along j, SIDE of them at a time.
template <int SIDE, int I, int J, int PAD>
static __device__ __forceinline__ void load(tile_of<SIDE, I, J, PAD> &to, const double *from,
                                            int first, int n, int p, int q, int i0, int j0, int x,
                                            int y)
{
    const bool is_row = first + y < n;
    for (int i = 0; i < I; ++i)
        for (int j = x; j < J; j += SIDE)
            to.row[y][i * J + j] = is_row && i0 + i < p && j0 + j < q
                                       ? from[((size_t)(first + y) * p + i0 + i) * q + j0 + j]
                                       : 0.0;
}

constexpr int TILE = 8; // (8, 8, 8)

// Both halves of the sum from four tiles. Blocks below the diagonal leave at once.
static __global__ __launch_bounds__(TILE *TILE) void tile(int n, int p, int q, const double *a,
                                                          const double *b, double *c)
{
    __shared__ tile_of<TILE, TILE, TILE, 0> a_k, a_l, b_k, b_l;
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = corner(n, TILE);
    if (first.y > first.x)
        return;
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += TILE)
        for (int j0 = 0; j0 < q; j0 += TILE) {
            load(a_k, a, first.y, n, p, q, i0, j0, x, y);
            load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            load(b_l, b, first.x, n, p, q, i0, j0, x, y);
            __syncthreads(); // the tiles are complete
            for (int i = 0; i < TILE * TILE; ++i)
                sum += a_l.row[x][i] * b_k.row[y][i] + a_k.row[y][i] * b_l.row[x][i];
            __syncthreads(); // and read by all
        }
    const int k = first.y + y, l = first.x + x;
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * sum;
}

// --- work for the other half ---------------------------------------------------------------------

// D[k][l] = sum of A[l] B[k], for all k and l: D[k][l] + D[l][k] is twice C[k][l]. Every block has
// the same work, from two tiles in place of four. PAD keeps the rows that threads side by side read
// in different banks; J = 2 SIDE fills whole sectors where 8 doubles filled two.
template <int SIDE, int I, int J, int PAD>
static __global__ __launch_bounds__(SIDE *SIDE) void shared_work(int n, int p, int q,
                                                                 const double *a, const double *b,
                                                                 double *d)
{
    __shared__ tile_of<SIDE, I, J, PAD> a_l, b_k;
    const int x = threadIdx.x, y = threadIdx.y;
    const int2 first = corner(n, SIDE);
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += I)
        for (int j0 = 0; j0 < q; j0 += J) {
            load(b_k, b, first.y, n, p, q, i0, j0, x, y);
            load(a_l, a, first.x, n, p, q, i0, j0, x, y);
            __syncthreads();
#pragma unroll 16
            for (int i = 0; i < I * J; ++i)
                sum += a_l.row[x][i] * b_k.row[y][i];
            __syncthreads();
        }
    const int k = first.y + y, l = first.x + x;
    if (k < n && l < n)
        d[(size_t)k * n + l] = sum;
}

constexpr int FINISH_SIDE = 16;

// C[k][l] = (D[k][l] + D[l][k]) / 2. The mirrored tile is read along its rows and turned in shared
// memory: neighbours stay neighbours.
static __global__ __launch_bounds__(FINISH_SIDE *FINISH_SIDE) void finish(int n, const double *d,
                                                                          double *c)
{
    __shared__ double mirrored[FINISH_SIDE][FINISH_SIDE + 1];
    const int2 first = corner(n, FINISH_SIDE);
    if (first.y > first.x)
        return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int k = first.y + y, l = first.x + x;
    if (first.x + y < n && first.y + x < n)
        mirrored[y][x] = d[(size_t)(first.x + y) * n + first.y + x];
    __syncthreads();
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.5 * (d[(size_t)k * n + l] + mirrored[x][y]);
}

// --- two threads for an element ------------------------------------------------------------------

constexpr int SIDE = 16, TILE_I = 2, TILE_J = 32; // of the report's best kernel, and below
constexpr int PAD = 1;                            // an odd number of doubles to a row
constexpr int DEPTH = 2;                          // threads in z

enum combining { REDUCTION, SHUFFLES, ATOMICS };

static __global__ void clear(int n, double *c)
{
    const int2 first = corner(n, FINISH_SIDE);
    const int k = first.y + threadIdx.y, l = first.x + threadIdx.x;
    if (k <= l && l < n)
        c[(size_t)k * n + l] = 0.0;
}

// Threads in z take half of each tile, one of its two i, and put their sums together in the end.
// For SHUFFLES the two that share an element are lanes side by side: z is then the fastest index.
template <enum combining HOW>
static __global__ __launch_bounds__(SIDE *SIDE *DEPTH) void blocks_3d(int n, int p, int q,
                                                                      const double *a,
                                                                      const double *b, double *out)
{
    __shared__ tile_of<SIDE, TILE_I, TILE_J, PAD> a_l, b_k;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int z = HOW == SHUFFLES ? thread % DEPTH : thread / (SIDE * SIDE);
    const int element = HOW == SHUFFLES ? thread / DEPTH : thread % (SIDE * SIDE);
    const int x = element % SIDE, y = element / SIDE;
    const int load_x = thread % SIDE, load_y = thread / SIDE % SIDE;
    const int2 first = corner(n, SIDE);
    double sum = 0.0;
    for (int i0 = 0; i0 < p; i0 += TILE_I)
        for (int j0 = 0; j0 < q; j0 += TILE_J) {
            if (thread < SIDE * SIDE) // one half loads B, the other one A
                load(b_k, b, first.y, n, p, q, i0, j0, load_x, load_y);
            else
                load(a_l, a, first.x, n, p, q, i0, j0, load_x, load_y);
            __syncthreads();
#pragma unroll 16
            for (int j = 0; j < TILE_J; ++j)
                sum += a_l.row[x][z * TILE_J + j] * b_k.row[y][z * TILE_J + j];
            __syncthreads();
        }
    const int k = first.y + y, l = first.x + x;
    if (HOW == SHUFFLES)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 1);
    if (HOW == REDUCTION) { // the tiles are free: the last barrier is behind us
        if (z != 0)
            a_l.row[y][x] = sum;
        __syncthreads();
        if (z == 0)
            sum += a_l.row[y][x];
    }
    if (k >= n || l >= n)
        return;
    if (HOW == ATOMICS) // straight into C: four sums meet in an element, in any order
        atomicAdd(&out[(size_t)min(k, l) * n + max(k, l)], k == l ? sum : 0.5 * sum);
    else if (z == 0)
        out[(size_t)k * n + l] = sum;
}

// --- the sum divided over blocks -----------------------------------------------------------------

constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int VALUES = 8;               // rows and columns of D per thread
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int SQUARE = 128; // rows of B and of A to a block
constexpr int STAGES = 3;   // one slab of these is used while two are on their way
constexpr int SLAB_PAD = 2; // rows that lanes side by side read, 16 bytes each: different banks
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");

// SLAB values of each row.
template <int SLAB> struct slabs {
    double b[STAGES][SQUARE][SLAB + SLAB_PAD];
    double a[STAGES][SQUARE][SLAB + SLAB_PAD];
};

// Of D only squares on the diagonal and above it are computed, those above in both halves of their
// sums: first with A and B as they are, then exchanged. They are numbered so, row by row; those on
// the diagonal, which have half as much to do, come last.
static __host__ __device__ int squares_above(int n)
{
    return tiles(n, SQUARE) * (tiles(n, SQUARE) - 1) / 2;
}

static __device__ int2 corner_of(int n, int number)
{
    const int across = tiles(n, SQUARE), above = squares_above(n);
    if (number >= above)
        return make_int2((number - above) * SQUARE, (number - above) * SQUARE);
    int row = 0;
    for (; number >= across - 1 - row; ++row)
        number -= across - 1 - row;
    return make_int2((row + 1 + number) * SQUARE, row * SQUARE);
}

// How squares and their sums go to blocks: the first `whole` of them to a block each, the others in
// parts of `each` slabs. A sum has `slabs` slabs, above the diagonal twice as many.
struct division {
    int whole, each, slabs;

    // Parts of a square that is divided, and the first part of all of it.
    __host__ __device__ int parts(int n, int number) const
    {
        return tiles(number < squares_above(n) ? 2 * slabs : slabs, each);
    }
    __host__ __device__ int first_part(int n, int number) const
    {
        const int above = min(number, squares_above(n)) - min(whole, squares_above(n));
        return above * tiles(2 * slabs, each) + (number - whole - above) * tiles(slabs, each);
    }
};

// What a thread copies of rows `row` .. of B and `column` .. of A: `count` pieces of NEIGHBOURS
// values, of B first. The addresses go on from piece to piece: one for each would take registers
// that the sums need.
template <int SLAB, int NEIGHBOURS> struct pieces {
    static constexpr int across = SLAB / NEIGHBOURS, down = THREADS / across;
    static constexpr int of_b = SQUARE / down, count = 2 * of_b;
    static_assert(SQUARE % down == 0, "all threads copy as much");
    const double *b, *a, *b_at, *a_at;
    int row, column, n, length;
    bool is_inside; // not past the end of the rows

    // Of slab `number` before `end`: from number `half` on A and B are exchanged.
    __device__ __forceinline__ pieces(int n, int length, int half, int end, const double *a,
                                      const double *b, int row, int column, int number)
        : b(b), a(a), row(row + (int)threadIdx.x / across),
          column(column + (int)threadIdx.x / across), n(n), length(length)
    {
        const bool is_exchanged = number >= half;
        const int x =
            (is_exchanged ? number - half : number) * SLAB + (int)threadIdx.x % across * NEIGHBOURS;
        is_inside = number < end && x < length;
        b_at = (is_exchanged ? a : b) + (size_t)this->row * length + x;
        a_at = (is_exchanged ? b : a) + (size_t)this->column * length + x;
    }

    // Starts the copy of one piece, or of zeros; all of them, from 0 on.
    __device__ __forceinline__ void start(slabs<SLAB> &to, int stage, int number)
    {
        constexpr size_t BYTES = NEIGHBOURS * sizeof(double);
        const int x = threadIdx.x % across * NEIGHBOURS, y = threadIdx.x / across;
        if (number < of_b) {
            const bool is_there = is_inside && row + number * down < n;
            __pipeline_memcpy_async(&to.b[stage][y + number * down][x], is_there ? b_at : b, BYTES,
                                    is_there ? 0 : BYTES);
            b_at += (size_t)down * length;
        } else {
            const int place = (number - of_b) * down;
            const bool is_there = is_inside && column + place < n;
            __pipeline_memcpy_async(&to.a[stage][y + place][x], is_there ? a_at : a, BYTES,
                                    is_there ? 0 : BYTES);
            a_at += (size_t)down * length;
        }
    }
};

// What a thread multiplies next: its values of one column of each slab.
struct operands {
    double b[VALUES], a[VALUES];

    template <int SLAB>
    __device__ __forceinline__ void load(const slabs<SLAB> &from, int stage, int i, int ty, int tx)
    {
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
            b[r] = from.b[stage][ty + r * 4][i];
#pragma unroll
        for (int c = 0; c < VALUES; ++c)
            a[c] = from.a[stage][tx + c * 8][i];
    }
};

// Down one column, up the next: each product shares an operand with the one before, see step 07.
static __device__ __forceinline__ void multiply(double (&sum)[VALUES][VALUES], const operands &from)
{
#pragma unroll
    for (int c = 0; c < VALUES; ++c)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = c % 2 ? VALUES - 1 - i : i;
            sum[r][c] += from.b[r] * from.a[c];
        }
}

// Waits until the slab after this one has arrived, in every thread. Then all have read the one
// before this, too.
static __device__ __forceinline__ void arrived()
{
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
}

// The products of slabs `first` .. `end` - 1, added to `sum`.
template <int SLAB, int NEIGHBOURS>
static __device__ __forceinline__ void
add_products(double (&sum)[VALUES][VALUES], slabs<SLAB> &slab, int n, int length, int half,
             int first, int end, const double *a, const double *b, int2 corner, int ty, int tx)
{
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<SLAB, NEIGHBOURS> ahead(n, length, half, end, a, b, corner.y, corner.x,
                                       first + stage);
#pragma unroll
        for (int number = 0; number < ahead.count; ++number)
            ahead.start(slab, stage, number);
        __pipeline_commit();
    }
    arrived();
    operands value[2]; // of this column, and of the next one on its way
    value[0].load(slab, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        pieces<SLAB, NEIGHBOURS> ahead(n, length, half, end, a, b, corner.y, corner.x,
                                       i + STAGES - 1);
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < SLAB; ++j) {
            if (j < SLAB - 1) {
                value[(j + 1) % 2].load(slab, now, j + 1, ty, tx);
            } else if (i + 1 < end) {
                __pipeline_commit();
                arrived(); // products of this turn are left to do meanwhile
                value[0].load(slab, after, 0, ty, tx);
            }
            // Copies a few at a time among the products, so that these never pause for long.
#pragma unroll
            for (int number = j * ahead.count / (SLAB - 1);
                 j < SLAB - 1 && number < (j + 1) * ahead.count / (SLAB - 1); ++number)
                ahead.start(slab, next, number);
            multiply(sum, value[j % 2]);
        }
        now = after;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
}

// A whole square goes straight to C, on the diagonal with its mirror image added; a part of one to
// D, as a square of its own, for add_parts(). NEIGHBOURS is 2 where all rows begin on 16 bytes.
template <int SLAB, int NEIGHBOURS>
static __global__ __launch_bounds__(THREADS, 1) void split_k(int n, int length, division division,
                                                             const double *a, const double *b,
                                                             double *d, double *c)
{
    extern __shared__ __align__(16) char memory[];
    const bool is_whole = (int)blockIdx.x < division.whole;
    const int above = squares_above(n), part_number = (int)blockIdx.x - division.whole;
    const int parts_above = tiles(2 * division.slabs, division.each);
    const int parts_on = tiles(division.slabs, division.each);
    const int divided_above = above < division.whole ? 0 : above - division.whole;
    const bool is_part_above = part_number < divided_above * parts_above;
    const int rest = is_part_above ? part_number : part_number - divided_above * parts_above;
    const int parts = is_part_above ? parts_above : parts_on;
    const int number =
        is_whole ? blockIdx.x : division.whole + rest / parts + (is_part_above ? 0 : divided_above);
    const int2 corner = corner_of(n, number);
    const int all = number < above ? 2 * division.slabs : division.slabs;
    const int first = is_whole ? 0 : rest % parts * division.each;
    const int end = is_whole ? all : min(first + division.each, all);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    double sum[VALUES][VALUES] = {};
    add_products<SLAB, NEIGHBOURS>(sum, *(slabs<SLAB> *)memory, n, length, division.slabs, first,
                                   end, a, b, corner, ty, tx);
    if (!is_whole) {
        double *const to = d + (size_t)part_number * (SQUARE * SQUARE);
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
#pragma unroll
            for (int q = 0; q < VALUES; ++q)
                to[(ty + r * 4) * SQUARE + tx + q * 8] = sum[r][q];
        return;
    }
    double(&square)[SQUARE][SQUARE + 1] = *(double(*)[SQUARE][SQUARE + 1]) memory;
    if (number >= above) {
        __pipeline_commit(); // the last copies bring zeros that nobody needs, but they write
        __pipeline_wait_prior(0);
        __syncthreads(); // and all have read the slabs: their memory is free
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
#pragma unroll
            for (int q = 0; q < VALUES; ++q)
                square[ty + r * 4][tx + q * 8] = sum[r][q];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
#pragma unroll
            for (int q = 0; q < VALUES; ++q)
                sum[r][q] += square[tx + q * 8][ty + r * 4];
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int k = corner.y + ty + r * 4, l = corner.x + tx + q * 8;
            if (k <= l && l < n)
                c[(size_t)k * n + l] = 0.5 * sum[r][q];
        }
}

constexpr int PIECE = 16; // of a square, for a block
constexpr int DEEP = 4;   // threads that share an element's parts
constexpr int AHEAD = 8;  // parts that one of them has on their way

// This thread's share of the sum of an element's parts, in an order that the sizes alone decide.
static __device__ double sum_of_parts(const double *at, int parts)
{
    double sum = 0.0;
    int part = threadIdx.z;
    for (; part + (AHEAD - 1) * DEEP < parts; part += AHEAD * DEEP) {
        double value[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            value[i] = at[(size_t)(part + i * DEEP) * (SQUARE * SQUARE)];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            sum += value[i];
    }
    for (; part < parts; part += DEEP)
        sum += at[(size_t)part * (SQUARE * SQUARE)];
    return sum;
}

// Adds the parts of square number `whole` + blockIdx.y, and its mirror image where that is not in
// them already.
static __global__ __launch_bounds__(PIECE *PIECE *DEEP) void add_parts(int n, division division,
                                                                       const double *d, double *c)
{
    __shared__ double straight[DEEP][PIECE][PIECE], mirrored[DEEP][PIECE][PIECE + 1];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int number = division.whole + (int)blockIdx.y, parts = division.parts(n, number);
    const int2 square = corner_of(n, number), piece = corner(SQUARE, PIECE);
    const bool is_on = square.x == square.y;
    if (is_on && piece.y > piece.x)
        return;
    d += division.first_part(n, number) * (size_t)(SQUARE * SQUARE);
    straight[z][y][x] = sum_of_parts(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] = is_on ? sum_of_parts(d + (piece.x + y) * SQUARE + piece.y + x, parts) : 0.0;
    __syncthreads();
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n)
        return;
    double sum = 0.0;
    for (int i = 0; i < DEEP; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

// --- launches ------------------------------------------------------------------------------------

static int grid(const struct lab_syr2k *p, int side)
{
    return tiles(p->n, side) * tiles(p->n, side);
}

static cudaError_t launch_global(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(GLOBAL_SIDE, GLOBAL_SIDE);
    global<<<grid(p, GLOBAL_SIDE), threads, 0, stream>>>(p->n, p->p, p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

static cudaError_t launch_tile(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(TILE, TILE);
    tile<<<grid(p, TILE), threads, 0, stream>>>(p->n, p->p, p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

static size_t one_matrix(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(double);
}

static cudaError_t launch_finish(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(FINISH_SIDE, FINISH_SIDE);
    finish<<<grid(p, FINISH_SIDE), threads, 0, stream>>>(p->n, (const double *)p->workspace, p->c);
    return cudaGetLastError();
}

template <int SIDE, int I, int J, int PAD>
static cudaError_t launch_shared(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE);
    shared_work<SIDE, I, J, PAD><<<grid(p, SIDE), threads, 0, stream>>>(
        p->n, p->p, p->q, p->a, p->b, (double *)p->workspace);
    return launch_finish(p, stream);
}

template <enum combining HOW>
static cudaError_t launch_3d(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE, DEPTH);
    double *const out = HOW == ATOMICS ? p->c : (double *)p->workspace;
    if (HOW == ATOMICS)
        clear<<<grid(p, FINISH_SIDE), dim3(FINISH_SIDE, FINISH_SIDE), 0, stream>>>(p->n, p->c);
    blocks_3d<HOW><<<grid(p, SIDE), threads, 0, stream>>>(p->n, p->p, p->q, p->a, p->b, out);
    return HOW == ATOMICS ? cudaGetLastError() : launch_finish(p, stream);
}

// How the work is divided, for a GPU of `sms` multiprocessors, a block each at a time: squares that
// fill all of them are taken whole; of the rest, which would leave some without work, each sum is
// cut, so that a matrix with few squares and long rows keeps all of them busy, too. Cuts cost: each
// part goes to memory and back. Unless that is cheaper, the rest is taken whole as well. All
// follows from the sizes, and with it, on one GPU, the order of every sum.
constexpr int LEAST = 64; // values of a sum in a part
// Times, in those that a square's products take for one value of each row: to start a block, to
// write and read a part, and of the launch that adds them.
constexpr double START = 16.0, PART = 0.64, PASS = 32.0;

static int multiprocessors()
{
    int device = 0, count = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) ==
                       cudaSuccess
               ? count
               : 1;
}

static struct division divide(const struct lab_syr2k *p, int slab)
{
    const int sms = multiprocessors();
    const int slabs = tiles(p->p * p->q, slab);
    const int above = squares_above(p->n), on = tiles(p->n, SQUARE), rest = above % sms;
    // The rest whole: SMs without a square above the diagonal have time for two on it.
    const int room = rest ? 2 * (sms - rest) : 0;
    const double turns = (rest ? 2.0 : 0.0) + (on > room ? tiles(on - room, sms) : 0);
    struct division best = {above + on, slabs, slabs};
    double least = turns * slabs * slab + START;
    for (int parts = 1; parts <= 2 * sms; ++parts) {
        const int each = (int)((2LL * slabs - 1) / parts + 1);
        const int blocks = rest * tiles(2 * slabs, each) + on * tiles(slabs, each);
        const double time =
            tiles(blocks, sms) * ((double)each * slab + START) + blocks * PART + PASS;
        if (each >= LEAST / slab && time < least) {
            least = time;
            best = {above - rest, each, slabs};
        }
    }
    return best;
}

template <int SLAB> constexpr size_t shared_bytes()
{
    constexpr size_t TURNED = sizeof(double) * SQUARE * (SQUARE + 1); // a square in place of slabs
    return sizeof(slabs<SLAB>) > TURNED ? sizeof(slabs<SLAB>) : TURNED;
}

// Wide slabs take fewer barriers. Narrow ones are there sooner, which counts where a part has only
// a few, and fit in GPUs with less shared memory. 0: not even they do.
constexpr int WIDE = 32, NARROW = 16, MANY = 8;

static int slab_of(const struct lab_syr2k *p)
{
    int device = 0, bytes = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess)
        return 0;
    if (shared_bytes<WIDE>() <= (size_t)bytes && divide(p, WIDE).each >= MANY)
        return WIDE;
    return shared_bytes<NARROW>() <= (size_t)bytes ? NARROW : 0;
}

static int part_count(const struct lab_syr2k *p, const struct division &division)
{
    return division.first_part(p->n, squares_above(p->n) + tiles(p->n, SQUARE));
}

static size_t parts(const struct lab_syr2k *p)
{
    const int slab = slab_of(p);
    return slab ? part_count(p, divide(p, slab)) * sizeof(double) * SQUARE * SQUARE : one_matrix(p);
}

template <int SLAB, int NEIGHBOURS>
static cudaError_t launch_split_k(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct division division = divide(p, SLAB);
    const int divided = squares_above(p->n) + tiles(p->n, SQUARE) - division.whole;
    double *const d = (double *)p->workspace;
    const cudaError_t status =
        cudaFuncSetAttribute(split_k<SLAB, NEIGHBOURS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes<SLAB>());
    if (status != cudaSuccess)
        return status;
    split_k<SLAB, NEIGHBOURS>
        <<<division.whole + part_count(p, division), THREADS, shared_bytes<SLAB>(), stream>>>(
            p->n, p->p * p->q, division, p->a, p->b, d, p->c);
    if (divided > 0)
        add_parts<<<dim3(SQUARE / PIECE * SQUARE / PIECE, divided), dim3(PIECE, PIECE, DEEP), 0,
                    stream>>>(p->n, division, d, p->c);
    return cudaGetLastError();
}

template <int SLAB> static cudaError_t launch_slabs(const struct lab_syr2k *p, cudaStream_t stream)
{
    return p->p * p->q % 2 == 0 ? launch_split_k<SLAB, 2>(p, stream)
                                : launch_split_k<SLAB, 1>(p, stream);
}

// GPUs with less shared memory have few lanes for double precision, too: there the report's best
// kernel does it.
static cudaError_t launch_split(const struct lab_syr2k *p, cudaStream_t stream)
{
    switch (slab_of(p)) {
    case WIDE:
        return launch_slabs<WIDE>(p, stream);
    case NARROW:
        return launch_slabs<NARROW>(p, stream);
    default:
        return launch_shared<SIDE, TILE_I, TILE_J, PAD>(p, stream);
    }
}

LAB_EXPORT(syr2k, {"global", launch_global}, {"tile", launch_tile},
           {"shared_work", launch_shared<TILE, TILE, TILE, 0>, one_matrix},
           {"shared_work_padded_coalesced", launch_shared<SIDE, TILE_I, TILE_J, PAD>, one_matrix},
           {"blocks_3d_reduction", launch_3d<REDUCTION>, one_matrix},
           {"blocks_3d_shuffles", launch_3d<SHUFFLES>, one_matrix},
           {"blocks_3d_atomics", launch_3d<ATOMICS>},
           {"split_k", launch_split, parts, LAB_ROW_REPEATABLE});
