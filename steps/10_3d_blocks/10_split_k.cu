// Step 10.10: the work comes out even. Squares that fill all multiprocessors are taken whole and go
// straight to C. Only the sums of the rest are cut, in as many parts as a small model of the costs
// says. Long sums take wide slabs, which need fewer barriers; short ones narrow ones, there sooner.
#include "families/syr2k.h"

#include <cuda_pipeline.h>

constexpr int SQUARE = 128;             // rows of B and of A to a block
constexpr int WARPS_M = 4, WARPS_N = 2; // warps down and across a square, 4 x 8 threads each
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int VALUES = 8; // rows and columns of D per thread, 4 rows and 8 columns apart
constexpr int STAGES = 3; // slabs in shared memory: one is used while two are on their way
constexpr int PAD = 2;    // rows are 36 words apart: 8 of them, that lanes read, in different banks
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

// How sums go to blocks: the first `whole` squares to a block each, the others in parts of `each`
// slabs. A sum has `slabs` slabs, above the diagonal twice as many.
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
    const double *b, *a, *b_at, *a_at;
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

// A whole square goes straight to C, on the diagonal with its mirror image added; a part of one to
// D, as a square of its own, for add_parts().
// A warp's lanes lie 4 x 8: those 1 apart share columns and those 2 apart rows, so that a read of
// shared memory is one wavefront, see step 07. 64 sums take 128 registers: one block is all that a
// multiprocessor holds, hence the 1.
template <int SLAB, int WIDTH>
static __global__ __launch_bounds__(THREADS, 1) void syr2k(int n, int length, division division,
                                                           const double *a, const double *b,
                                                           double *d, double *c)
{
    extern __shared__ __align__(16) char memory[];
    slabs<SLAB> &slab = *(slabs<SLAB> *)memory;
    // Blocks: whole squares, then parts of those above the diagonal, then of those on it.
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
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<SLAB, WIDTH> ahead(n, length, division.slabs, end, a, b, corner, first + stage);
#pragma unroll
        for (int number = 0; number < ahead.count; ++number)
            ahead.start(slab, stage, number);
        __pipeline_commit();
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
            // Copies a few at a time: multiply-adds never pause for long. They go where slab i - 1
            // was, which all had read before the last barrier.
#pragma unroll
            for (int number = j * ahead.count / (SLAB - 1);
                 j < SLAB - 1 && number < (j + 1) * ahead.count / (SLAB - 1); ++number)
                ahead.start(slab, next, number);
            multiply(sum, value[j % 2]);
        }
        now = after;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
    if (!is_whole) {
        double *const to = d + (size_t)part_number * (SQUARE * SQUARE);
        for (int r = 0; r < VALUES; ++r)
            for (int q = 0; q < VALUES; ++q)
                to[(ty + r * 4) * SQUARE + tx + q * 8] = sum[r][q];
        return;
    }
    // Rows an odd number of doubles apart: reads down a column meet different banks.
    double(&square)[SQUARE][SQUARE + 1] = *(double(*)[SQUARE][SQUARE + 1]) memory;
    if (number >= above) {
        __pipeline_commit(); // the last copies bring zeros that are not needed, but they write
        __pipeline_wait_prior(0);
        __syncthreads(); // and all have read the slabs: their memory is free
        for (int r = 0; r < VALUES; ++r)
            for (int q = 0; q < VALUES; ++q)
                square[ty + r * 4][tx + q * 8] = sum[r][q];
        __syncthreads(); // the square is complete
        for (int r = 0; r < VALUES; ++r)
            for (int q = 0; q < VALUES; ++q)
                sum[r][q] += square[tx + q * 8][ty + r * 4];
    }
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; ++q) {
            const int k = corner.y + ty + r * 4, l = corner.x + tx + q * 8;
            if (k <= l && l < n)
                c[(size_t)k * n + l] = 0.5 * sum[r][q];
        }
}

constexpr int PIECE = 16; // add_parts() takes PIECE x PIECE elements of a square to a block
constexpr int PIECES = SQUARE / PIECE * (SQUARE / PIECE);
constexpr int DEEP = 4;  // threads in z that share an element's parts
constexpr int AHEAD = 8; // parts that one of them has on their way

// This thread's share of the sum of an element's parts, in an order that the sizes alone decide.
static __device__ double sum_of_parts(const double *at, int parts)
{
    double sum = 0.0;
    int part = threadIdx.z;
    for (; part + (AHEAD - 1) * DEEP < parts; part += AHEAD * DEEP) {
        double value[AHEAD];
        for (int i = 0; i < AHEAD; ++i)
            value[i] = at[(size_t)(part + i * DEEP) * (SQUARE * SQUARE)];
        for (int i = 0; i < AHEAD; ++i)
            sum += value[i];
    }
    for (; part < parts; part += DEEP)
        sum += at[(size_t)part * (SQUARE * SQUARE)];
    return sum;
}

// Adds the parts of square number `whole` + blockIdx.y. A square on the diagonal is added to its
// own mirror image, which is read along its rows and turned in shared memory. Its padded rows keep
// reads down a column in different banks.
static __global__ __launch_bounds__(PIECE *PIECE *DEEP) void add_parts(int n, division division,
                                                                       const double *d, double *c)
{
    __shared__ double straight[DEEP][PIECE][PIECE], mirrored[DEEP][PIECE][PIECE + 1];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int number = division.whole + (int)blockIdx.y, parts = division.parts(n, number);
    const int2 square = corner_of(n, number);
    const int2 piece = make_int2((int)blockIdx.x % (SQUARE / PIECE) * PIECE,
                                 (int)blockIdx.x / (SQUARE / PIECE) * PIECE);
    const bool is_on = square.x == square.y;
    if (is_on && piece.y > piece.x)
        return;
    d += division.first_part(n, number) * (size_t)(SQUARE * SQUARE);
    straight[z][y][x] = sum_of_parts(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] = is_on ? sum_of_parts(d + (piece.x + y) * SQUARE + piece.y + x, parts) : 0.0;
    __syncthreads(); // the shares of all threads in z are there
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n)
        return;
    double sum = 0.0;
    for (int i = 0; i < DEEP; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

static int device_has(cudaDeviceAttr what)
{
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, what, device);
    return count;
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
    const int sms = max(1, device_has(cudaDevAttrMultiProcessorCount));
    const int slabs = tiles(p->p * p->q, slab), on = tiles(p->n, SQUARE);
    const int above = squares_above(p->n), rest = above % sms;
    // The rest whole: multiprocessors that have no square above the diagonal take two on it.
    const int room = rest ? 2 * (sms - rest) : 0;
    const double turns = (rest ? 2.0 : 0.0) + (on > room ? tiles(on - room, sms) : 0);
    struct division best = {slab > SMALL ? above + on : above, slabs, slabs};
    double least = turns * slabs * slab + START;
    for (int parts = 1; parts <= 2 * sms; ++parts) {
        const int each = tiles(2 * slabs, parts);
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

// Kernels by the width of their slabs: for rows that begin anywhere, and for those that all begin
// on 16 bytes. GPUs with little shared memory have few lanes for double precision, too: there small
// slabs are fast enough. They leave no room to turn a square, so those on the diagonal are divided.
typedef void kernel(int, int, division, const double *, const double *, double *, double *);
constexpr int TURNED = sizeof(double) * SQUARE * (SQUARE + 1); // bytes of a square to be turned
static_assert(sizeof(slabs<WIDE>) >= TURNED && sizeof(slabs<NARROW>) <= TURNED, "shared memory");
static const struct width {
    int slab, bytes;
    kernel *of[2];
} widths[] = {{WIDE, sizeof(slabs<WIDE>), {syr2k<WIDE, 1>, syr2k<WIDE, 2>}},
              {NARROW, TURNED, {syr2k<NARROW, 1>, syr2k<NARROW, 2>}},
              {SMALL, sizeof(slabs<SMALL>), {syr2k<SMALL, 1>, syr2k<SMALL, 2>}}};

static const struct width &width_of(const struct lab_syr2k *p)
{
    const int bytes = device_has(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (bytes >= widths[0].bytes && divide(p, WIDE).each >= MANY)
        return widths[0];
    return widths[bytes >= TURNED ? 1 : 2];
}

// Scratch memory: a square for each part.
static size_t workspace(const struct lab_syr2k *p)
{
    const int squares = squares_above(p->n) + tiles(p->n, SQUARE);
    return divide(p, width_of(p).slab).first_part(p->n, squares) * sizeof(double) * SQUARE * SQUARE;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct width &width = width_of(p);
    const struct division division = divide(p, width.slab);
    const int squares = squares_above(p->n) + tiles(p->n, SQUARE);
    const int divided = squares - division.whole;
    double *const d = (double *)p->workspace;
    kernel *const syr2k = width.of[p->p * p->q % 2 == 0];
    cudaFuncSetAttribute(syr2k, cudaFuncAttributeMaxDynamicSharedMemorySize, width.bytes);
    syr2k<<<division.whole + division.first_part(p->n, squares), THREADS, width.bytes, stream>>>(
        p->n, p->p * p->q, division, p->a, p->b, d, p->c);
    if (divided > 0)
        add_parts<<<dim3(PIECES, divided), dim3(PIECE, PIECE, DEEP), 0, stream>>>(p->n, division, d,
                                                                                  p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"split_k", launch, workspace, LAB_ROW_REPEATABLE});
