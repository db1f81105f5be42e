// Step 10.16: the work comes out even. Sums are cut in as many parts as a small model of the costs
// says. Long ones take wide slabs, which need fewer barriers; short ones take narrow slabs, which
// are there sooner.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int STAGES = 3; // slabs in shared memory: one is used while two are on their way
constexpr int PAD = 2;    // rows begin 4 or 20 banks apart: 8 of them, that lanes read, all differ
static_assert(WARPS_M * VALUES * 4 == SQUARE && WARPS_N * VALUES * 8 == SQUARE, "square");

// One dimension of a grid of tiles, `side` elements each.
static __host__ __device__ constexpr int tiles(int n, int side)
{
    return (n - 1) / side + 1;
}

// Squares are numbered row by row, those above the diagonal first. Those on it come last: each is
// its own mirror image, and has half as much to do.
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

// How sums go to blocks: the first `whole` squares to a block each, all above the diagonal; the
// others in `parts` parts of `each` slabs. A sum has two halves of `slabs` slabs, on the diagonal
// one.
struct division {
    int whole, each, slabs, parts;
};

// SLAB values of each row: (stage, row, value) of B and of A.
template <int SLAB> struct slabs {
    double b[STAGES][SQUARE][SLAB + PAD], a[STAGES][SQUARE][SLAB + PAD];
};

// What a thread copies of rows `row` .. of B and `column` .. of A: `count` pieces of WIDTH values,
// of B first, each `down` rows below the one before. Lanes side by side have neighbours in a row.
// The addresses go on from piece to piece: one for each would take registers that the sums need.
template <int SLAB, int WIDTH> struct pieces {
    static constexpr int across = SLAB / WIDTH, down = THREADS / across;
    static constexpr int of_b = SQUARE / down, count = 2 * of_b;
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

    // Starts the copy of one piece, or of zeros, which need no address; all of them, from 0 on.
    __device__ __forceinline__ void start(slabs<SLAB> &to, int stage, int number)
    {
        constexpr int BYTES = WIDTH * sizeof(double);
        const int place = (number < of_b ? number : number - of_b) * down;
        const int x = threadIdx.x % across * WIDTH, y = threadIdx.x / across + place;
        if (number < of_b) {
            const bool here = is_inside && row + place < n;
            __pipeline_memcpy_async(&to.b[stage][y][x], here ? b_at : b, BYTES, here ? 0 : BYTES);
            b_at += (size_t)down * length;
        } else {
            const bool here = is_inside && column + place < n;
            __pipeline_memcpy_async(&to.a[stage][y][x], here ? a_at : a, BYTES, here ? 0 : BYTES);
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

// A whole square goes straight to C, a part of one to D, as a square of its own, for add_parts().
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block to an SM.
template <int SLAB, int WIDTH>
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, division division,
                                                           const double *a, const double *b,
                                                           double *d, double *c)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    slabs<SLAB> &slab = *(slabs<SLAB> *)memory;
    // Blocks: whole squares, then the parts of all other halves, in the order of their squares.
    const int above = squares_above(n), parts = tiles(division.slabs, division.each);
    const int part = (int)blockIdx.x - division.whole, half = 2 * division.whole + part / parts;
    const bool is_whole = part < 0, is_on = half >= 2 * above;
    const int2 corner = corner_of(n, is_whole ? blockIdx.x : is_on ? half - above : half / 2);
    const int at = is_on || half % 2 == 0 ? 0 : division.slabs; // where this half begins
    const int first = is_whole ? 0 : at + part % parts * division.each;
    const int end = is_whole ? 2 * division.slabs : min(first + division.each, at + division.slabs);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Where the lane begins in the square: rows are of B, columns of A.
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<SLAB, WIDTH> ahead(n, length, division.slabs, end, a, b, corner, first + stage);
#pragma unroll
        for (int number = 0; number < ahead.count; ++number)
            ahead.start(slab, stage, number);
        __pipeline_commit(); // a group of copies for each slab
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();   // the first slab has arrived, in every thread
    operands value[2]; // of this column, and of the next one on its way
    value[0].load(slab, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; ++i) {
        pieces<SLAB, WIDTH> ahead(n, length, division.slabs, end, a, b, corner, i + STAGES - 1);
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < SLAB; ++j) {
            if (j < SLAB - 1) {
                value[(j + 1) % 2].load(slab, now, j + 1, ty, tx);
            } else if (i + 1 < end) {
                __pipeline_commit();
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // slab i + 1 has arrived, in every thread: read on in it while
                                 // the last column of slab i, in registers, is multiplied
                value[0].load(slab, after, 0, ty, tx);
            }
            // A few copies at a time, to where slab i - 1 was: all had read it at the last barrier.
#pragma unroll
            for (int number = j * ahead.count / (SLAB - 1);
                 j < SLAB - 1 && number < (j + 1) * ahead.count / (SLAB - 1); ++number)
                ahead.start(slab, next, number);
            multiply(sum, value[j % 2]);
        }
        now = after;
        next = next == STAGES - 1 ? 0 : next + 1; // the one that was just used
    }
    double *const to = d + (ptrdiff_t)part * (SQUARE * SQUARE);
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q) {
            const int y = ty + r * 4, x = tx + q * 8;
            if (!is_whole)
                to[y * SQUARE + x] = sum[r][q];
            else if (corner.x + x < n) // rows are fewer than columns above the diagonal
                c[(size_t)(corner.y + y) * n + corner.x + x] = 0.5 * sum[r][q];
        }
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

// Adds the parts of square `whole` + blockIdx.x, on the diagonal to those of their mirror image,
// which is read along its rows and turned in shared memory, where padding keeps columns apart.
static __global__ __launch_bounds__(PIECE *PIECE *DEEP) void add_parts(int n, division division,
                                                                       const double *d, double *c)
{
    __shared__ double straight[DEEP][PIECE][PIECE], mirrored[DEEP][PIECE][PIECE + 1];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int number = division.whole + (int)blockIdx.x, above = squares_above(n);
    const int half = tiles(division.slabs, division.each), parts = number < above ? 2 * half : half;
    const int2 square = corner_of(n, number);
    const int2 piece = make_int2((int)blockIdx.z * PIECE, (int)blockIdx.y * PIECE);
    if (number >= above && piece.y > piece.x)
        return; // its mirror image adds this piece, too
    // There are number + min(number, above) halves in all squares before this one.
    d += (size_t)(number + min(number, above) - 2 * division.whole) * half * (SQUARE * SQUARE);
    straight[z][y][x] = share(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] =
        number < above ? 0.0 : share(d + (piece.x + y) * SQUARE + piece.y + x, parts);
    __syncthreads(); // the shares of all threads in z are there
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n) // the first in z adds the shares of all
        return;
    double sum = 0.0;
    for (int i = 0; i < DEEP; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

constexpr int WIDE = 32, NARROW = 16, SMALL = 8; // widths of a slab
constexpr int MANY = 8;   // wide slabs to a part at least: with fewer, narrow ones are there sooner
constexpr int LEAST = 64; // values of a sum in a part at least
// Times, in those that a square's multiply-adds take for one value of each row: to start a block,
// to write and read a part, and of the launch that adds them.
constexpr double START = 16.0, PART = 0.64, PASS = 32.0;

// Squares above the diagonal that fill all multiprocessors, a block each, are taken whole. The rest
// would leave some without work: their sums are cut, unless it is cheaper to take them whole, too.
// All follows from the sizes, and with it, on one GPU, the order of every sum.
static struct division divide(const struct lab_syr2k *p, int slab)
{
    const int sms = max(1, lab_device_attribute(cudaDevAttrMultiProcessorCount));
    const int slabs = tiles(p->p * p->q, slab), on = tiles(p->n, SQUARE);
    const int above = squares_above(p->n), rest = above % sms;
    // The rest whole: multiprocessors that have no square above the diagonal take two on it.
    const int room = rest ? 2 * (sms - rest) : 0;
    const int turns = (rest ? 2 : 0) + (on > room ? tiles(on - room, sms) : 0);
    struct division best = {above, slabs, slabs, on};
    double least = (double)turns * slabs * slab + START + on * PART + PASS;
    for (int parts = 1; parts <= sms; ++parts) {
        const int each = tiles(slabs, parts), blocks = (2 * rest + on) * tiles(slabs, each);
        const double block = (double)each * slab + START;
        const double time = tiles(blocks, sms) * block + blocks * PART + PASS;
        if (each >= LEAST / slab && time < least) {
            least = time;
            best = {above - rest, each, slabs, blocks};
        }
    }
    return best;
}

// GPUs with little shared memory have few FP64 lanes, too: small slabs are fast enough there.
static int slab_of(const struct lab_syr2k *p)
{
    const int bytes = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (bytes >= (int)sizeof(slabs<WIDE>) && divide(p, WIDE).each >= MANY)
        return WIDE;
    return bytes >= (int)sizeof(slabs<NARROW>) ? NARROW : SMALL;
}

// Scratch memory: D, a square for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    return divide(p, slab_of(p)).parts * sizeof(double) * SQUARE * SQUARE;
}

template <int SLAB> static cudaError_t launch_slab(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct division division = divide(p, SLAB);
    const int length = p->p * p->q, blocks = division.whole + division.parts;
    const int cut = squares_above(p->n) + tiles(p->n, SQUARE) - division.whole;
    const int bytes = sizeof(slabs<SLAB>);
    double *const d = (double *)p->workspace;                              // a square for each part
    const auto kernel = length % 2 == 0 ? syr2k<SLAB, 2> : syr2k<SLAB, 1>; // 16 or 8 bytes a copy
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, THREADS, bytes, stream>>>(p->n, length, division, p->a, p->b, d, p->c);
    add_parts<<<dim3(cut, SQUARE / PIECE, SQUARE / PIECE), dim3(PIECE, PIECE, DEEP), 0, stream>>>(
        p->n, division, d, p->c);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int slab = slab_of(p);
    return (slab == WIDE     ? launch_slab<WIDE>
            : slab == NARROW ? launch_slab<NARROW>
                             : launch_slab<SMALL>)(p, stream);
}

LAB_EXPORT(syr2k, {"split_k", launch, workspace, LAB_ROW_REPEATABLE});
