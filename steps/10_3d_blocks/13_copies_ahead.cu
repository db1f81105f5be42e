// Step 10.13: nothing waits for memory. Copies go to shared memory without a detour through
// registers while the block computes: of three stages of slabs one is in use and two are on their
// way. One barrier a slab is enough, and copies are 16 bytes wide where all rows begin on 16 bytes.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int STAGES = 3; // slabs in shared memory: one is used while two are on their way
constexpr int PAD = 2;    // rows begin 4 or 20 banks apart: 8 of them, that lanes read, all differ
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");

static __host__ __device__ constexpr int tiles(int n, int side) // of `side` elements, one dimension
{
    return (n - 1) / side + 1;
}

// Squares go row by row, those on the diagonal last: each is its own mirror image, half the work.
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

// How sums go to blocks, in parts of `each` slabs: a sum has `half` slabs, above the diagonal
// twice as many.
struct division {
    int each, half;

    // Parts of a square, and the first part of all of it.
    __host__ __device__ int parts(int n, int number) const
    {
        return tiles(number < squares_above(n) ? 2 * half : half, each);
    }
    __host__ __device__ int first_part(int n, int number) const
    {
        const int above = min(number, squares_above(n));
        return above * tiles(2 * half, each) + (number - above) * tiles(half, each);
    }
};

template <int SLAB> struct slabs { // SLAB values of each row: (stage, row, value)
    double b[STAGES][SQUARE][SLAB + PAD], a[STAGES][SQUARE][SLAB + PAD];
};

// What a thread copies of rows `row` .. of B and `column` .. of A: `count` pieces of WIDTH values,
// of B first, each `down` rows below the one before. The addresses go on from piece to piece: one
// for each would take registers that the sums need.
template <int SLAB, int WIDTH> struct pieces {
    static constexpr int across = SLAB / WIDTH, down = THREADS / across;
    static constexpr int of_b = SQUARE / down, count = 2 * of_b, bytes = WIDTH * sizeof(double);
    const double *b, *a, *b_at, *a_at; // the matrices, and the next pieces of either
    int row, column, n, length;
    bool is_inside; // not past the end of the rows

    // Of slab `number` before `end`: from number `half` on A and B are swapped. Past `end` it
    // brings zeros: every turn has its group of copies then, and a wait counts groups.
    __device__ __forceinline__ pieces(int n, int length, int half, int end, const double *a,
                                      const double *b, int2 corner, int number)
        : b(b), a(a), row(corner.y + (int)threadIdx.x / across),
          column(corner.x + (int)threadIdx.x / across), n(n), length(length)
    {
        const bool swapped = number >= half;
        const int x = (swapped ? number - half : number) * SLAB + (int)threadIdx.x % across * WIDTH;
        is_inside = number < end && x < length;
        b_at = (swapped ? a : b) + (size_t)row * length + x;
        a_at = (swapped ? b : a) + (size_t)column * length + x;
    }

    // Starts copies, or zeros, which need no address: part `i` of so many, all in turn from 0 on.
    __device__ __forceinline__ void start(slabs<SLAB> &to, int stage, int i, int parts)
    {
#pragma unroll
        for (int piece = i * count / parts; piece < min((i + 1) * count / parts, count); ++piece) {
            const int place = (piece < of_b ? piece : piece - of_b) * down;
            const int x = threadIdx.x % across * WIDTH, y = threadIdx.x / across + place;
            const auto copy = [&](double *to, int row, const double *all, const double *&at) {
                const bool here = is_inside && row + place < n;
                __pipeline_memcpy_async(to, here ? at : all, bytes, here ? 0 : bytes);
                at += (size_t)down * length;
            };
            piece < of_b ? copy(&to.b[stage][y][x], row, b, b_at)
                         : copy(&to.a[stage][y][x], column, a, a_at);
        }
    }
};

struct operands { // what a thread multiplies next: its values of one column of each slab
    double b[VALUES], a[VALUES];
    template <int SLAB>
    __device__ __forceinline__ void load(const slabs<SLAB> &from, int stage, int i, int ty, int tx)
    {
        for (int v = 0; v < VALUES; ++v)
            b[v] = from.b[stage][ty + v * 4][i];
        for (int v = 0; v < VALUES; ++v)
            a[v] = from.a[stage][tx + v * 8][i];
    }
};

// Down one column, up the next: each multiply-add shares an operand with the one before, see 05.
static __device__ __forceinline__ void multiply(double (&sum)[VALUES][VALUES], const operands &from)
{
    for (int q = 0; q < VALUES; ++q)
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += from.b[r] * from.a[q];
        }
}

// A part of a square, written to D as a square of its own, for add_parts().
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block to an SM.
template <int SLAB, int WIDTH>
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, division division,
                                                           const double *a, const double *b,
                                                           double *d)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    slabs<SLAB> &slab = *(slabs<SLAB> *)memory;
    const int above = squares_above(n), parts_above = tiles(2 * division.half, division.each);
    const bool is_above = (int)blockIdx.x < above * parts_above;
    const int rest = is_above ? blockIdx.x : blockIdx.x - above * parts_above;
    const int parts = is_above ? parts_above : tiles(division.half, division.each);
    // Blocks: all parts of a square, then those of the next one.
    const int2 corner = corner_of(n, rest / parts + (is_above ? 0 : above));
    const int all = is_above ? 2 * division.half : division.half;
    const int first = rest % parts * division.each, end = min(first + division.each, all);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2; // the lane's first row
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8; // and column: of B and of A
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<SLAB, WIDTH> ahead(n, length, division.half, end, a, b, corner, first + stage);
        ahead.start(slab, stage, 0, 1);
        __pipeline_commit(); // a group of copies for each slab
    }
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // slab i has arrived, in every thread, and all have read the one before
        pieces<SLAB, WIDTH> ahead(n, length, division.half, end, a, b, corner, i + STAGES - 1);
        ahead.start(slab, next, 0, 1);
        __pipeline_commit();
#pragma unroll 4
        for (int j = 0; j < SLAB; ++j) {
            operands value;
            value.load(slab, now, j, ty, tx);
            multiply(sum, value);
        }
        now = now == STAGES - 1 ? 0 : now + 1;
        next = next == STAGES - 1 ? 0 : next + 1; // the one that was just used
    }
    // No edges to care for: what lies beyond C is zeros here, and add_parts() leaves it out.
    double *const to = d + (size_t)blockIdx.x * (SQUARE * SQUARE);
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q)
            to[(ty + r * 4) * SQUARE + tx + q * 8] = sum[r][q];
}

constexpr int PIECE = 16; // add_parts() takes PIECE x PIECE elements of a square to a block
constexpr int DEEP = 4;   // threads in z that share an element's parts

// This thread's share of the sum of an element's parts, in an order that the sizes alone decide.
static __device__ double share(const double *at, int parts)
{
    double sum = 0.0;
    for (int first = threadIdx.z; first < parts; first += 8 * DEEP)
#pragma unroll // a condition for each load in place of a branch: none waits for another
        for (int part = first; part < first + 8 * DEEP; part += DEEP)
            sum += part < parts ? at[(size_t)part * (SQUARE * SQUARE)] : 0.0;
    return sum;
}

// Adds the parts of square number blockIdx.x, on the diagonal to those of their mirror image, which
// is read along its rows and turned in shared memory, where padding keeps columns apart.
static __global__ __launch_bounds__(PIECE *PIECE *DEEP) void add_parts(int n, division division,
                                                                       const double *d, double *c)
{
    __shared__ double straight[DEEP][PIECE][PIECE], mirrored[DEEP][PIECE][PIECE + 1];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int number = blockIdx.x, parts = division.parts(n, number);
    const bool is_on = number >= squares_above(n);
    const int2 square = corner_of(n, number);
    const int2 piece = make_int2((int)blockIdx.z * PIECE, (int)blockIdx.y * PIECE);
    if (is_on && piece.y > piece.x)
        return; // its mirror image adds this piece, too
    d += division.first_part(n, number) * (size_t)(SQUARE * SQUARE);
    straight[z][y][x] = share(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] = is_on ? share(d + (piece.x + y) * SQUARE + piece.y + x, parts) : 0.0;
    __syncthreads(); // the shares of all threads in z are there
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n) // the first in z adds the shares of all
        return;
    double sum = 0.0;
    for (int i = 0; i < DEEP; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

constexpr int NARROW = 16, SMALL = 8; // widths of a slab

// As many parts as it takes to give each multiprocessor a block; none where squares alone do. They
// follow from the sizes and the GPU, and with them the order of every sum.
static struct division divide(const struct lab_syr2k *p, int slab)
{
    const int squares = tiles(p->n, SQUARE) * tiles(p->n, SQUARE); // one above counts as two
    const int slabs = tiles(p->p * p->q, slab);
    const int parts = max(1, 2 * lab_device_attribute(cudaDevAttrMultiProcessorCount) / squares);
    return {tiles(2 * slabs, parts), slabs};
}

// For odd rows, and even ones. GPUs with little shared memory have few lanes, too: small slabs do.
static const struct width {
    int slab, bytes;
    decltype(&syr2k<NARROW, 1>) of[2];
} widths[] = {{SMALL, sizeof(slabs<SMALL>), {syr2k<SMALL, 1>, syr2k<SMALL, 2>}},
              {NARROW, sizeof(slabs<NARROW>), {syr2k<NARROW, 1>, syr2k<NARROW, 2>}}};

static const struct width &width_of(const struct lab_syr2k *)
{
    const int bytes = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return widths[bytes >= widths[1].bytes];
}

static size_t workspace(const struct lab_syr2k *p) // D: a square for each part
{
    const int squares = squares_above(p->n) + tiles(p->n, SQUARE);
    return divide(p, width_of(p).slab).first_part(p->n, squares) * sizeof(double) * SQUARE * SQUARE;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct width &width = width_of(p);
    const struct division division = divide(p, width.slab);
    const int squares = squares_above(p->n) + tiles(p->n, SQUARE);
    const int length = p->p * p->q, blocks = division.first_part(p->n, squares);
    const auto kernel = width.of[length % 2 == 0];
    double *const d = (double *)p->workspace;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, width.bytes);
    kernel<<<blocks, THREADS, width.bytes, stream>>>(p->n, length, division, p->a, p->b, d);
    const dim3 pieces(squares, SQUARE / PIECE, SQUARE / PIECE);
    add_parts<<<pieces, dim3(PIECE, PIECE, DEEP), 0, stream>>>(p->n, division, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"copies_ahead", launch, workspace, LAB_ROW_REPEATABLE});
