// Step 09: B <- B + triu(A) B in double precision, in place. Row i of the product takes rows i and
// below of the old B, so a column whose rows are done from the top down never needs a row that it
// has already changed. Half of a square of products is left out; the rows show what it takes to
// gain that half, from a thread per column to register tiles whose blocks hand rows over.
#include "families/trmm.h"

#include <cuda_pipeline.h>

// --- a thread per column -------------------------------------------------------------------------

constexpr int COLUMNS = 64; // threads of a block in the next four kernels, a column each

// No thread needs another one's column: each goes its own way down, and no barrier is needed.
static __global__ __launch_bounds__(COLUMNS) void global(int n, int m, const double *a, double *b)
{
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

constexpr int PIECE = 2048; // of a row of A: 16 KB, which for the report was a whole row

// All columns take the same row of A: a block keeps it in shared memory, a piece at a time.
static __global__ __launch_bounds__(COLUMNS) void shared_a(int n, int m, const double *a, double *b)
{
    __shared__ double a_row[PIECE];
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int first = row; first < n; first += PIECE) {
            const int count = min(PIECE, n - first);
            for (int i = threadIdx.x; i < count; i += COLUMNS)
                a_row[i] = a[(size_t)row * n + first + i];
            __syncthreads(); // the piece was written by all: complete before anyone reads it
            if (column < m)
#pragma unroll 4
                for (int i = 0; i < count; ++i)
                    sum += a_row[i] * b[(size_t)(first + i) * m + column];
            __syncthreads(); // and all are done with it before it is overwritten
        }
        if (column < m)
            b[(size_t)row * m + column] += sum;
    }
}

// --- tiles of 8 rows -----------------------------------------------------------------------------

constexpr int TILE = 8; // rows of B that a thread sums at a time, and rows of B in shared memory

// Loads A[row .. row + 7][k .. k + 7] and B[k .. k + 7][this block's columns]. Below the diagonal A
// is not read: what stands there is none of the problem. Zeros take its place and that of rows and
// columns that do not exist.
static __device__ __forceinline__ void load(int n, int m, const double *a, const double *b, int row,
                                            int k, int column, double (&a_tile)[TILE][TILE],
                                            double (&b_tile)[TILE][COLUMNS])
{
    const int a_row = row + (int)threadIdx.x / TILE;
    const int a_column = k + (int)threadIdx.x % TILE;
    const bool is_there = a_row < n && a_column < n && a_column >= a_row;
    a_tile[threadIdx.x / TILE][threadIdx.x % TILE] =
        is_there ? a[(size_t)a_row * n + a_column] : 0.0;
    for (int i = 0; i < TILE; ++i)
        b_tile[i][threadIdx.x] = k + i < n && column < m ? b[(size_t)(k + i) * m + column] : 0.0;
}

static __device__ __forceinline__ void add_to(double *b, int n, int m, int row, int column,
                                              const double (&sum)[TILE])
{
    for (int r = 0; r < TILE; ++r)
        if (row + r < n && column < m)
            b[(size_t)(row + r) * m + column] += sum[r];
}

// SPLIT: the one tile on the diagonal apart from all the others. The test then leaves the loop that
// does nearly all of the work, whose bounds the compiler knows.
template <bool SPLIT>
static __global__ __launch_bounds__(COLUMNS) void shared_ab(int n, int m, const double *a,
                                                            double *b)
{
    __shared__ double a_tile[TILE][TILE];
    __shared__ double b_tile[TILE][COLUMNS];
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    for (int row = 0; row < n; row += TILE) {
        double sum[TILE] = {};
        int k = row;
        if (SPLIT) {
            load(n, m, a, b, row, k, column, a_tile, b_tile);
            __syncthreads();
#pragma unroll
            for (int r = 0; r < TILE; ++r)
#pragma unroll
                for (int i = r; i < TILE; ++i)
                    sum[r] += a_tile[r][i] * b_tile[i][threadIdx.x];
            __syncthreads();
            k += TILE;
        }
        for (; k < n; k += TILE) {
            load(n, m, a, b, row, k, column, a_tile, b_tile);
            __syncthreads(); // both tiles are complete
#pragma unroll
            for (int r = 0; r < TILE; ++r)
#pragma unroll
                for (int i = 0; i < TILE; ++i)
                    if (SPLIT || k + i >= row + r)
                        sum[r] += a_tile[r][i] * b_tile[i][threadIdx.x];
            __syncthreads(); // and read by all
        }
        add_to(b, n, m, row, column, sum);
    }
}

// --- a tile of 32 x 32 ---------------------------------------------------------------------------

constexpr int SIDE = 32; // a block is SIDE x SIDE threads and takes SIDE columns from top to bottom

// One thread per element of the tile: 32 warps to a block where there were 2. Within the block the
// rows above are changed only after the last barrier of their tile, when nobody needs them.
static __global__ __launch_bounds__(SIDE *SIDE) void blocks_2d(int n, int m, const double *a,
                                                               double *b)
{
    __shared__ double a_tile[SIDE][SIDE];
    __shared__ double b_tile[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int column = (int)blockIdx.x * SIDE + tx;
    for (int first = 0; first < n; first += SIDE) {
        const int row = first + ty;
        const bool is_row = row < n, is_column = column < m;
        double sum = 0.0;
        a_tile[ty][tx] =
            is_row && first + tx < n && tx >= ty ? a[(size_t)row * n + first + tx] : 0.0;
        b_tile[ty][tx] = is_row && is_column ? b[(size_t)row * m + column] : 0.0;
        __syncthreads();
        for (int i = ty; i < SIDE; ++i) // the triangle
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
        for (int k = first + SIDE; k < n; k += SIDE) { // the rectangle beside it
            a_tile[ty][tx] = is_row && k + tx < n ? a[(size_t)row * n + k + tx] : 0.0;
            b_tile[ty][tx] = k + ty < n && is_column ? b[(size_t)(k + ty) * m + column] : 0.0;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < SIDE; ++i)
                sum += a_tile[ty][i] * b_tile[i][tx];
            __syncthreads();
        }
        if (is_row && is_column)
            b[(size_t)row * m + column] += sum;
    }
}

// --- a thread's values in registers --------------------------------------------------------------

// A block takes one tile of B, not a column of tiles: enough of them to fill the GPU. Shape of a
// tile: warps down and across it, and values of a thread down and across. A warp is 4 x 8 threads.
template <int WARPS_M, int WARPS_N, int VALUES_M, int VALUES_N, int BLOCKS> struct shape {
    static constexpr int warps_n = WARPS_N, values_m = VALUES_M, values_n = VALUES_N;
    static constexpr int blocks = BLOCKS; // to an SM
    static constexpr int threads = WARPS_M * WARPS_N * 32;
    static constexpr int rows = WARPS_M * VALUES_M * 4;
    static constexpr int columns = WARPS_N * VALUES_N * 8;
};

constexpr int TILE_K = 16; // columns of A and rows of B in shared memory at a time
constexpr int STAGES = 3;  // such pairs of tiles: one is used while two are on their way
constexpr int PAD = 2;     // 4 rows of A, 16 bytes of each, then lie in different banks
static_assert(PAD % 2 == 0, "rows of A's tile stay aligned to 16 bytes");

// (stage, rows, TILE_K) of A and (stage, TILE_K, columns) of B.
template <class S> struct tiles {
    double a[STAGES][S::rows][TILE_K + PAD];
    double b[STAGES][TILE_K][S::columns];
};

// Starts a copy of VALUES doubles, or of zeros where `is_there` is false.
template <int VALUES>
static __device__ __forceinline__ void copy(double *to, const double *from, bool is_there)
{
    __pipeline_memcpy_async(to, from, VALUES * sizeof(double),
                            is_there ? 0 : VALUES * sizeof(double));
}

// What a thread copies of A[row ..][k ..] and B[k ..][column ..]: `count` pieces, VALUES neighbours
// each, of A first. A single one at a time where a part of a tile lies below the diagonal, which is
// not to be read. The addresses go on from piece to piece: one for each would take registers that
// the sums need.
template <class S, int VALUES_A, int VALUES_B> struct pieces {
    static constexpr int a_across = TILE_K / VALUES_A, a_down = S::threads / a_across;
    static constexpr int b_across = S::columns / VALUES_B, b_down = S::threads / b_across;
    static constexpr int of_a = S::rows / a_down, count = of_a + TILE_K / b_down;
    static_assert(S::rows % a_down == 0 && TILE_K % b_down == 0, "all threads copy as much");
    const double *a, *b, *a_at, *b_at;
    int n, m, row, k, column;

    __device__ __forceinline__ pieces(int n, int m, const double *a, const double *b, int row,
                                      int k, int column)
        : a(a), b(b), n(n), m(m), row(row + (int)threadIdx.x / a_across), k(k),
          column(column + (int)threadIdx.x % b_across * VALUES_B)
    {
        a_at = a + (size_t)this->row * n + k + (int)threadIdx.x % a_across * VALUES_A;
        b_at = b + (size_t)(k + (int)threadIdx.x / b_across) * m + this->column;
    }

    // Starts the copy of one piece; all of them, from 0 on.
    __device__ __forceinline__ void start(tiles<S> &to, int stage, int number)
    {
        if (number < of_a) {
            const int x = threadIdx.x % a_across * VALUES_A, y = number * a_down;
            const bool is_there = row + y < n && k + x < n && (VALUES_A == 2 || k + x >= row + y);
            copy<VALUES_A>(&to.a[stage][threadIdx.x / a_across + y][x], is_there ? a_at : a,
                           is_there);
            a_at += (size_t)a_down * n;
        } else {
            const int x = threadIdx.x % b_across * VALUES_B;
            const int y = (int)threadIdx.x / b_across + (number - of_a) * b_down;
            const bool is_there = k + y < n && column < m;
            copy<VALUES_B>(&to.b[stage][y][x], is_there ? b_at : b, is_there);
            b_at += (size_t)b_down * m;
        }
    }
};

// Starts all of a thread's copies at once.
template <class S, int VALUES_A, int VALUES_B>
static __device__ __forceinline__ void start(tiles<S> &to, int stage, int n, int m, const double *a,
                                             const double *b, int row, int k, int column)
{
    pieces<S, VALUES_A, VALUES_B> all(n, m, a, b, row, k, column);
#pragma unroll
    for (int number = 0; number < all.count; ++number)
        all.start(to, stage, number);
}

// What a thread multiplies next: its values of one column of A's tile and one row of B's.
template <class S> struct operands {
    double a[S::values_m], b[S::values_n];

    __device__ __forceinline__ void load(const tiles<S> &from, int stage, int k, int ty, int tx)
    {
#pragma unroll
        for (int r = 0; r < S::values_m; ++r)
            a[r] = from.a[stage][ty + r * 4][k];
#pragma unroll
        for (int q = 0; q < S::values_n; q += 2)
            *(double2 *)&b[q] = *(const double2 *)&from.b[stage][k][tx + q * 8];
    }
};

// Down one column, up the next: each product shares an operand with the one before, see step 07.
template <class S>
static __device__ __forceinline__ void multiply(double (&sum)[S::values_m][S::values_n],
                                                const operands<S> &from)
{
#pragma unroll
    for (int q = 0; q < S::values_n; ++q)
#pragma unroll
        for (int i = 0; i < S::values_m; ++i) {
            const int r = q % 2 ? S::values_m - 1 - i : i;
            sum[r][q] += from.a[r] * from.b[q];
        }
}

// All rows of tile `tile` may be changed once the blocks of every tile above it in this panel of
// columns have read them. readers[] counts these: a block adds itself for each tile below its own
// when it has read them all, and waits for its own tile's count. It waits only for blocks of lower
// number, which run already: numbers are drawn as blocks start. So the wait ends, and since tiles
// are numbered from the top, where rows are longest, it is short.
static __device__ __forceinline__ void wait_for_readers(unsigned *readers, int tile, int tiles,
                                                        int panel, int panels)
{
    __syncthreads(); // every copy of this block has arrived, in every thread
    __threadfence();
    for (int t = tile + 1 + (int)threadIdx.x; t < tiles; t += (int)blockDim.x)
        atomicAdd(&readers[(size_t)t * panels + panel], 1u);
    if (threadIdx.x == 0) {
        while (atomicAdd(&readers[(size_t)tile * panels + panel], 0u) < (unsigned)tile)
            __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
}

// Adds a thread's sums to its values of B, neighbours in pairs where VALUES is 2.
template <class S, int VALUES>
static __device__ __forceinline__ void add_to(double *b, int n, int m, int row, int column,
                                              const double (&sum)[S::values_m][S::values_n])
{
#pragma unroll
    for (int r = 0; r < S::values_m; ++r)
#pragma unroll
        for (int q = 0; q < S::values_n; q += 2) {
            const int x = column + q * 8;
            double *const to = &b[(size_t)(row + r * 4) * m + x];
            if (row + r * 4 >= n || x >= m)
                continue;
            if (VALUES == 2) {
                double2 old = *(double2 *)to;
                old.x += sum[r][q];
                old.y += sum[r][q + 1];
                *(double2 *)to = old;
            } else {
                to[0] += sum[r][q];
                if (x + 1 < m)
                    to[1] += sum[r][q + 1];
            }
        }
}

// Waits until all but PENDING of a thread's groups of copies have arrived, in every thread. Then
// all have read the stage before, too.
template <int PENDING> static __device__ __forceinline__ void arrived()
{
    __pipeline_wait_prior(PENDING);
    __syncthreads();
}

// The products of one stage, and among them, where AHEAD says so, the copies of another one: a few
// at a time, so that the products never pause for long. The last products are left to do while the
// next stage is waited for.
template <class S, bool AHEAD, class P>
static __device__ __forceinline__ void turn(double (&sum)[S::values_m][S::values_n],
                                            operands<S> (&value)[2], tiles<S> &tile_of, P &ahead,
                                            int now, int next, bool is_more, int ty, int tx)
{
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        if (i < TILE_K - 1) {
            value[(i + 1) % 2].load(tile_of, now, i + 1, ty, tx);
        } else if (is_more) {
            __pipeline_commit();
            arrived<STAGES - 2>();
            value[0].load(tile_of, now == STAGES - 1 ? 0 : now + 1, 0, ty, tx);
        }
#pragma unroll
        for (int number = i * P::count / (TILE_K - 1);
             AHEAD && i < TILE_K - 1 && number < (i + 1) * P::count / (TILE_K - 1); ++number)
            ahead.start(tile_of, next, number);
        multiply<S>(sum, value[i % 2]);
    }
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile. Neighbours of a
// thread lie 4 rows and 16 columns apart, so that a warp reads whole rows; lanes 1 apart share
// columns and lanes 2 apart rows, as in step 07.
template <class S, int VALUES>
static __global__ __launch_bounds__(S::threads,
                                    S::blocks) void register_tile(int n, int m, const double *a,
                                                                  double *b, unsigned *counters)
{
    extern __shared__ __align__(16) char memory[];
    tiles<S> &tile_of = *(tiles<S> *)memory;
    __shared__ unsigned number;
    const int panels = (m - 1) / S::columns + 1, tiles_down = (n - 1) / S::rows + 1;
    if (threadIdx.x == 0)
        number = atomicAdd(&counters[0], 1u);
    __syncthreads();
    const int tile = number / panels, panel = number % panels;
    const int row = tile * S::rows, column = panel * S::columns;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / S::warps_n * (4 * S::values_m) + lane / 16 * 2 + lane % 2;
    const int tx = warp % S::warps_n * (8 * S::values_n) + lane / 2 % 8 * 2;
    double sum[S::values_m][S::values_n] = {};
    // From the diagonal on: nothing to the left of it counts.
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (row + stage * TILE_K < n)
            start<S, 1, VALUES>(tile_of, stage, n, m, a, b, row, row + stage * TILE_K, column);
        __pipeline_commit();
    }
    arrived<STAGES - 2>();
    operands<S> value[2]; // of this k, and of the next one on its way
    value[0].load(tile_of, 0, 0, ty, tx);
    int now = 0, next = STAGES - 1; // stages: in use, and to be filled
    for (int k = row; k < n; k += TILE_K) {
        const int next_k = k + (STAGES - 1) * TILE_K;
        pieces<S, VALUES, VALUES> ahead(n, m, a, b, row, next_k, column);
        if (VALUES == 1 || next_k < row + S::rows) { // element by element, all at once
            if (next_k < n)
                start<S, 1, VALUES>(tile_of, next, n, m, a, b, row, next_k, column);
            turn<S, false>(sum, value, tile_of, ahead, now, next, k + TILE_K < n, ty, tx);
        } else {
            turn<S, true>(sum, value, tile_of, ahead, now, next, k + TILE_K < n, ty, tx);
        }
        now = now == STAGES - 1 ? 0 : now + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
    wait_for_readers(counters + 1, tile, tiles_down, panel, panels);
    add_to<S, VALUES>(b, n, m, row + ty, column + tx, sum);
}

// --- launches ------------------------------------------------------------------------------------

typedef void by_columns(int n, int m, const double *a, double *b);

template <by_columns KERNEL>
static cudaError_t launch_columns(const struct lab_trmm *p, cudaStream_t stream)
{
    KERNEL<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

static cudaError_t launch_2d(const struct lab_trmm *p, cudaStream_t stream)
{
    const dim3 threads(SIDE, SIDE);
    blocks_2d<<<(p->m - 1) / SIDE + 1, threads, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

// Small problems take small tiles: there are enough of them then to go round.
using small_tile = shape<4, 2, 4, 4, 2>; // 64 x 64
using large_tile = shape<2, 2, 8, 8, 2>; // 64 x 128
constexpr size_t MANY = 2 * 4;           // large tiles for each SM that keep it busy

template <class S> static size_t tiles_of(const struct lab_trmm *p)
{
    return (size_t)((p->n - 1) / S::rows + 1) * ((p->m - 1) / S::columns + 1);
}

// Whether a block may have as much shared memory on this GPU.
template <class S> static bool is_room_for()
{
    int device = 0, bytes = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
               cudaSuccess &&
           sizeof(tiles<S>) + sizeof(unsigned) <= (size_t)bytes;
}

static size_t multiprocessors()
{
    int device = 0, count = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) ==
                       cudaSuccess
               ? count
               : 1;
}

static bool is_large(const struct lab_trmm *p)
{
    return tiles_of<large_tile>(p) >= MANY * multiprocessors() && is_room_for<large_tile>();
}

static size_t counters(const struct lab_trmm *p)
{
    return (1 + (is_large(p) ? tiles_of<large_tile>(p) : tiles_of<small_tile>(p))) *
           sizeof(unsigned);
}

template <class S, int VALUES>
static cudaError_t launch_shape(const struct lab_trmm *p, cudaStream_t stream)
{
    const auto kernel = register_tile<S, VALUES>;
    const int bytes = sizeof(tiles<S>);
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)tiles_of<S>(p), S::threads, bytes, stream>>>(p->n, p->m, p->a, p->b,
                                                                    (unsigned *)p->workspace);
    return cudaGetLastError();
}

// Pairs of neighbours lie on 16 bytes where every row begins on 16 bytes.
static cudaError_t launch_registers(const struct lab_trmm *p, cudaStream_t stream)
{
    const bool is_aligned = p->n % 2 == 0 && p->m % 2 == 0;
    if (!is_room_for<small_tile>()) // GPUs from before 2017
        return launch_2d(p, stream);
    if (is_large(p))
        return is_aligned ? launch_shape<large_tile, 2>(p, stream)
                          : launch_shape<large_tile, 1>(p, stream);
    return is_aligned ? launch_shape<small_tile, 2>(p, stream)
                      : launch_shape<small_tile, 1>(p, stream);
}

LAB_EXPORT(trmm, {"global", launch_columns<global>}, {"shared_a", launch_columns<shared_a>},
           {"shared_ab", launch_columns<shared_ab<false>>},
           {"shared_ab_split", launch_columns<shared_ab<true>>}, {"blocks_2d", launch_2d},
           {"register_tile", launch_registers, counters});
