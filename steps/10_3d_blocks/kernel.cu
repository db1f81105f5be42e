// Step 10: C[k][l] = sum over i, j of (A[l][i][j] B[k][i][j] + A[k][i][j] B[l][i][j]) / 2, for l >=
// k alone, in double precision. Half of a square grid has nothing to do; as the two halves of the
// sum are each other's mirror image, the idle half can take one of them. What is left is a plain
// product of long rows, D = B A', which the last row cuts along the sum, too.
#include "step.h"

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

constexpr int FINISH_SIDE = 16, FINISH_DEPTH = 4;

// C[k][l] = (D[k][l] + D[l][k]) / 2, with the sum of `parts` matrices for D. The mirrored tile is
// read along its rows and turned in shared memory: neighbours stay neighbours. Threads in z share
// the parts; their sums are added in a fixed order.
static __global__
__launch_bounds__(FINISH_SIDE *FINISH_SIDE *FINISH_DEPTH) void finish(int n, int parts,
                                                                      const double *d, double *c)
{
    __shared__ double straight[FINISH_DEPTH][FINISH_SIDE][FINISH_SIDE];
    __shared__ double mirrored[FINISH_DEPTH][FINISH_SIDE][FINISH_SIDE + 1];
    const int2 first = corner(n, FINISH_SIDE);
    if (first.y > first.x)
        return;
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int k = first.y + y, l = first.x + x;
    const bool is_here = k < n && l < n, is_there = first.x + y < n && first.y + x < n;
    const size_t matrix = (size_t)n * n;
    const double *here = d + z * matrix + (size_t)k * n + l;
    const double *there = d + z * matrix + (size_t)(first.x + y) * n + first.y + x;
    double here_sum = 0.0, there_sum = 0.0;
#pragma unroll 8
    for (int part = z; part < parts; part += blockDim.z) {
        here_sum += is_here ? *here : 0.0;
        there_sum += is_there ? *there : 0.0;
        here += blockDim.z * matrix;
        there += blockDim.z * matrix;
    }
    straight[z][y][x] = here_sum;
    mirrored[z][y][x] = there_sum;
    __syncthreads();
    if (z > 0 || !is_here || k > l)
        return;
    double sum = 0.0;
    for (int i = 0; i < blockDim.z; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
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

constexpr int WARPS_M = 2, WARPS_N = 2; // warps down and across a tile, 4 x 8 threads each
constexpr int VALUES = 8;               // rows and columns of D per thread
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int ROWS = WARPS_M * VALUES * 4;    // of a tile of D: rows of B
constexpr int COLUMNS = WARPS_N * VALUES * 8; // and rows of A
constexpr int SLAB = 16;                      // of each of these in shared memory at a time
constexpr int STAGES = 3;                     // one slab is used while two are on their way
constexpr int SLAB_PAD = 2; // rows that lanes side by side read, 16 bytes each: different banks
constexpr int BLOCKS = 2;   // to an SM

struct slabs {
    double b[STAGES][ROWS][SLAB + SLAB_PAD];
    double a[STAGES][COLUMNS][SLAB + SLAB_PAD];
};

// What a thread copies of rows `row` .. of B and `column` .. of A, from i on: `count` pieces of
// NEIGHBOURS values, of B first. The addresses go on from piece to piece: one for each would take
// registers that the sums need.
template <int NEIGHBOURS> struct pieces {
    static constexpr int across = SLAB / NEIGHBOURS, down = THREADS / across;
    static constexpr int of_b = ROWS / down, count = of_b + COLUMNS / down;
    static_assert(ROWS % down == 0 && COLUMNS % down == 0, "all threads copy as much");
    const double *b, *a, *b_at, *a_at;
    int row, column, n, length;
    bool is_inside; // not past the end of the rows

    __device__ __forceinline__ pieces(int n, int length, int end, const double *a, const double *b,
                                      int row, int column, int i)
        : b(b), a(a), row(row + (int)threadIdx.x / across),
          column(column + (int)threadIdx.x / across), n(n), length(length),
          is_inside(i < end && i + (int)threadIdx.x % across * NEIGHBOURS < length)
    {
        const int x = i + (int)threadIdx.x % across * NEIGHBOURS;
        b_at = b + (size_t)this->row * length + x;
        a_at = a + (size_t)this->column * length + x;
    }

    // Starts the copy of one piece, or of zeros; all of them, from 0 on.
    __device__ __forceinline__ void start(slabs &to, int stage, int number)
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

    __device__ __forceinline__ void load(const slabs &from, int stage, int i, int ty, int tx)
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

// A tile of D over `slabs_each` slabs of the sum, to a matrix of its own for each part of the sum.
// The parts are added by finish(), always in the same order. NEIGHBOURS is 2 where all rows begin
// on 16 bytes.
template <int NEIGHBOURS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void split_k(int n, int length, int slabs_each,
                                                                  const double *a, const double *b,
                                                                  double *d)
{
    extern __shared__ __align__(16) char memory[];
    slabs &slab = *(slabs *)memory;
    const int across = tiles(n, COLUMNS), count = tiles(n, ROWS) * across;
    const int part = (int)blockIdx.x / count, place = (int)blockIdx.x % count;
    const int row = place / across * ROWS, column = place % across * COLUMNS;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2;
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8;
    const int first = part * slabs_each * SLAB;
    const int end = length - first < slabs_each * SLAB ? length : first + slabs_each * SLAB;
    double sum[VALUES][VALUES] = {};
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        pieces<NEIGHBOURS> ahead(n, length, end, a, b, row, column, first + stage * SLAB);
#pragma unroll
        for (int number = 0; number < ahead.count; ++number)
            ahead.start(slab, stage, number);
        __pipeline_commit();
    }
    arrived();
    operands value[2]; // of this column, and of the next one on its way
    value[0].load(slab, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int i = first; i < end; i += SLAB) {
        const int next_i = i + (STAGES - 1) * SLAB;
        pieces<NEIGHBOURS> ahead(n, length, end, a, b, row, column, next_i);
        const int after = now == STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int j = 0; j < SLAB; ++j) {
            if (j < SLAB - 1) {
                value[(j + 1) % 2].load(slab, now, j + 1, ty, tx);
            } else if (i + SLAB < end) {
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
    d += (size_t)part * n * n;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int c = 0; c < VALUES; ++c) {
            const int k = row + ty + r * 4, l = column + tx + c * 8;
            if (k < n && l < n)
                d[(size_t)k * n + l] = sum[r][c];
        }
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

static cudaError_t launch_finish(const struct lab_syr2k *p, int parts, cudaStream_t stream)
{
    const dim3 threads(FINISH_SIDE, FINISH_SIDE, parts < FINISH_DEPTH ? parts : FINISH_DEPTH);
    finish<<<grid(p, FINISH_SIDE), threads, 0, stream>>>(p->n, parts, (const double *)p->workspace,
                                                         p->c);
    return cudaGetLastError();
}

template <int SIDE, int I, int J, int PAD>
static cudaError_t launch_shared(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE);
    shared_work<SIDE, I, J, PAD><<<grid(p, SIDE), threads, 0, stream>>>(
        p->n, p->p, p->q, p->a, p->b, (double *)p->workspace);
    return launch_finish(p, 1, stream);
}

template <enum combining HOW>
static cudaError_t launch_3d(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE, DEPTH);
    double *const out = HOW == ATOMICS ? p->c : (double *)p->workspace;
    if (HOW == ATOMICS)
        clear<<<grid(p, FINISH_SIDE), dim3(FINISH_SIDE, FINISH_SIDE), 0, stream>>>(p->n, p->c);
    blocks_3d<HOW><<<grid(p, SIDE), threads, 0, stream>>>(p->n, p->p, p->q, p->a, p->b, out);
    return HOW == ATOMICS ? cudaGetLastError() : launch_finish(p, 1, stream);
}

// How the sum is divided: as many parts as fill the GPU once, of at least LEAST_SLABS each, so that
// a matrix with few tiles and long rows keeps all SMs busy. It follows from the sizes alone, and
// with it the order of every sum.
constexpr int SMS = 132, LEAST_SLABS = 4;

struct division {
    int slabs_each, parts;
};

static struct division divide(const struct lab_syr2k *p)
{
    const int count = tiles(p->n, ROWS) * tiles(p->n, COLUMNS), slabs = tiles(p->p * p->q, SLAB);
    const int parts = SMS * BLOCKS / count < 1 ? 1 : SMS * BLOCKS / count;
    const int each = tiles(slabs, parts) < LEAST_SLABS ? LEAST_SLABS : tiles(slabs, parts);
    return {each, tiles(slabs, each)};
}

static size_t parts(const struct lab_syr2k *p)
{
    return divide(p).parts * one_matrix(p);
}

template <int NEIGHBOURS>
static cudaError_t launch_split_k(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct division d = divide(p);
    const unsigned blocks = (unsigned)tiles(p->n, ROWS) * tiles(p->n, COLUMNS) * d.parts;
    const cudaError_t status = cudaFuncSetAttribute(
        split_k<NEIGHBOURS>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(slabs));
    if (status != cudaSuccess)
        return status;
    split_k<NEIGHBOURS><<<blocks, THREADS, sizeof(slabs), stream>>>(
        p->n, p->p * p->q, d.slabs_each, p->a, p->b, (double *)p->workspace);
    return launch_finish(p, d.parts, stream);
}

static cudaError_t launch_split(const struct lab_syr2k *p, cudaStream_t stream)
{
    return p->p * p->q % 2 == 0 ? launch_split_k<2>(p, stream) : launch_split_k<1>(p, stream);
}

LAB_EXPORT_SYR2K({"global", launch_global}, {"tile", launch_tile},
                 {"shared_work", launch_shared<TILE, TILE, TILE, 0>, one_matrix},
                 {"shared_work_padded_coalesced", launch_shared<SIDE, TILE_I, TILE_J, PAD>,
                  one_matrix},
                 {"blocks_3d_reduction", launch_3d<REDUCTION>, one_matrix},
                 {"blocks_3d_shuffles", launch_3d<SHUFFLES>, one_matrix},
                 {"blocks_3d_atomics", launch_3d<ATOMICS>}, {"split_k", launch_split, parts, 1});
