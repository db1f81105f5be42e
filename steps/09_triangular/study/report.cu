// The study of step 09: every version of a course report's first kernel, as its table and its text
// have them, with guards, so that they are right at every size. Stages 1 to 5 are five of them.
// `run sweep step09` has it compiled, no step does.
#include "families/trmm.h"

#include <limits.h>

// A thread takes one column of B, from the top down: rows above, which it has changed, it needs no
// more. Counters of rows and of k are ints or shorts, and the loop over k is unrolled or not.
template <int COLUMNS, typename counter, int UNROLL>
static __global__ __launch_bounds__(COLUMNS) void global(int n, int m, const double *a, double *b)
{
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    if (column >= m)
        return;
    for (counter row = 0; row < n; ++row) {
        double sum = 0.0;
#pragma unroll UNROLL
        for (counter k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

constexpr int COLUMNS = 64; // threads of a block of the next two kernels, a column each
constexpr int PIECE = 2048; // of a row of A: 16 KB, which for the report was a whole row

// A row of A in shared memory. With a second buffer the next row goes beside this one, and the
// barrier that kept it waiting is not needed: who loads a buffer anew is behind the barrier of the
// other one, and all come there only after they have read this one. It takes 32 KB for 64 threads.
template <int BUFFERS>
static __global__ __launch_bounds__(COLUMNS) void shared_a(int n, int m, const double *a, double *b)
{
    __shared__ double a_row[BUFFERS][PIECE];
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    int buffer = 0;
    // Threads beyond the last column stay: they help to load, and every barrier counts on them.
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int first = row; first < n; first += PIECE) { // from the diagonal on
            const int count = min(PIECE, n - first);
            for (int i = threadIdx.x; i < count; i += COLUMNS)
                a_row[buffer][i] = a[(size_t)row * n + first + i];
            __syncthreads(); // the piece was written by all: complete before anyone reads it
            if (column < m)
#pragma unroll 4
                for (int i = 0; i < count; ++i)
                    sum += a_row[buffer][i] * b[(size_t)(first + i) * m + column];
            if (BUFFERS == 1)
                __syncthreads(); // and all are done with it before it is overwritten
            else
                buffer = 1 - buffer;
        }
        if (column < m)
            b[(size_t)row * m + column] += sum;
    }
}

constexpr int TILE = 8; // rows of B that a thread sums at a time, and rows of B in shared memory
static_assert(TILE * TILE == COLUMNS, "each thread loads one element of A");

// Loads A[row .. row + 7][k .. k + 7] and B[k .. k + 7][this block's columns]; zeros below A's
// diagonal, which is not read, and where there is nothing.
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

// Adds the products of two tiles to a thread's sums; in a triangle those on and above A's diagonal,
// `below` of its rows down.
template <bool TESTS>
static __device__ __forceinline__ void multiply(const double (&a_tile)[TILE][TILE],
                                                const double (&b_tile)[TILE][COLUMNS], int below,
                                                double (&sum)[TILE])
{
#pragma unroll
    for (int r = 0; r < TILE; ++r)
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            if (!TESTS || i + below >= r) // not to the left of the diagonal
                sum[r] += a_tile[r][i] * b_tile[i][threadIdx.x];
}

// Tiles of 8 rows of A and of B. The tile on the diagonal is one of the others, and every
// multiply-add asks whether it counts, or stands apart from them.
template <bool SPLIT>
static __global__ __launch_bounds__(COLUMNS) void shared_ab(int n, int m, const double *a,
                                                            double *b)
{
    __shared__ double a_tile[TILE][TILE];    // (rows of B, k)
    __shared__ double b_tile[TILE][COLUMNS]; // (k, columns of B)
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    for (int row = 0; row < n; row += TILE) {
        double sum[TILE] = {}; // in registers: every index below is known when compiling
        if (SPLIT) {
            load(n, m, a, b, row, row, column, a_tile, b_tile);
            __syncthreads();
            multiply<true>(a_tile, b_tile, 0, sum); // the triangle
            __syncthreads();
        }
        for (int k = SPLIT ? row + TILE : row; k < n; k += TILE) { // from the diagonal on
            load(n, m, a, b, row, k, column, a_tile, b_tile);
            __syncthreads(); // both tiles were written by all: complete before anyone reads them
            multiply<!SPLIT>(a_tile, b_tile, k - row, sum);
            __syncthreads(); // and all are done with them before they are overwritten
        }
        for (int r = 0; r < TILE; ++r)
            if (row + r < n && column < m)
                b[(size_t)(row + r) * m + column] += sum[r];
    }
}

constexpr int SIDE = 32; // a block of the last kernel is SIDE x SIDE threads

// The report's listing: an element of a tile of B for each thread, and 32 columns for each block,
// from the top down. Its counters are shorts; here they are ints, too.
template <typename counter, int UNROLL>
static __global__ __launch_bounds__(SIDE *SIDE) void blocks_2d(int n, int m, const double *a,
                                                               double *b)
{
    __shared__ double a_tile[SIDE][SIDE]; // (rows of B, k)
    __shared__ double b_tile[SIDE][SIDE]; // (k, columns of B)
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int column = (int)blockIdx.x * SIDE + tx;
    const bool is_column = column < m;
    for (counter first = 0; first < n; first += SIDE) {
        const int row = first + ty;
        const bool is_row = row < n;
        double sum = 0.0;
        a_tile[ty][tx] =
            is_row && first + tx < n && tx >= ty ? a[(size_t)row * n + first + tx] : 0.0;
        b_tile[ty][tx] = is_row && is_column ? b[(size_t)row * m + column] : 0.0;
        __syncthreads();
        for (counter i = ty; i < SIDE; ++i) // the triangle
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
        for (counter k = first + SIDE; k < n; k += SIDE) { // the rectangle beside it
            a_tile[ty][tx] = is_row && k + tx < n ? a[(size_t)row * n + k + tx] : 0.0;
            b_tile[ty][tx] = k + ty < n && is_column ? b[(size_t)(k + ty) * m + column] : 0.0;
            __syncthreads(); // both tiles were written by all: complete before anyone reads them
#pragma unroll UNROLL
            for (counter i = 0; i < SIDE; ++i)
                sum += a_tile[ty][i] * b_tile[i][tx];
            __syncthreads(); // and all are done with them before they are overwritten
        }
        // The tile on the diagonal was read by all before its barrier: its rows may change now.
        if (is_row && is_column)
            b[(size_t)row * m + column] += sum;
    }
}

// Whether a counter that is a short reaches the end, a tile beyond n, before it overflows. Else the
// same kernel with ints takes the problem.
static bool is_short(const struct lab_trmm *p)
{
    return p->n <= SHRT_MAX - SIDE;
}

template <int THREADS, typename counter, int UNROLL>
static cudaError_t launch_global(const struct lab_trmm *p, cudaStream_t stream)
{
    const int blocks = (p->m - 1) / THREADS + 1;
    if (is_short(p))
        global<THREADS, counter, UNROLL><<<blocks, THREADS, 0, stream>>>(p->n, p->m, p->a, p->b);
    else
        global<THREADS, int, UNROLL><<<blocks, THREADS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

template <int BUFFERS>
static cudaError_t launch_shared_a(const struct lab_trmm *p, cudaStream_t stream)
{
    shared_a<BUFFERS><<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

template <bool SPLIT>
static cudaError_t launch_shared_ab(const struct lab_trmm *p, cudaStream_t stream)
{
    shared_ab<SPLIT><<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

template <typename counter, int UNROLL>
static cudaError_t launch_blocks_2d(const struct lab_trmm *p, cudaStream_t stream)
{
    const int blocks = (p->m - 1) / SIDE + 1;
    const dim3 threads(SIDE, SIDE);
    if (is_short(p))
        blocks_2d<counter, UNROLL><<<blocks, threads, 0, stream>>>(p->n, p->m, p->a, p->b);
    else
        blocks_2d<int, UNROLL><<<blocks, threads, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

// In the order of the report: `global` with its 128 threads to a block, 16 blocks at 2048; variants
// of each version behind it. The listing of its best kernel is `blocks_2d_short`.
LAB_EXPORT(trmm, {"global", launch_global<128, int, 4>},
           {"global_short", launch_global<128, short, 4>},
           {"global_rolled", launch_global<128, int, 1>},
           {"global_short_rolled", launch_global<128, short, 1>},
           {"global_64_threads", launch_global<64, int, 4>}, {"shared_a", launch_shared_a<1>},
           {"shared_a_one_barrier", launch_shared_a<2>}, {"shared_ab", launch_shared_ab<false>},
           {"shared_ab_split", launch_shared_ab<true>}, {"blocks_2d", launch_blocks_2d<int, SIDE>},
           {"blocks_2d_rolled", launch_blocks_2d<int, 1>},
           {"blocks_2d_short_rolled", launch_blocks_2d<short, 1>},
           {"blocks_2d_short", launch_blocks_2d<short, SIDE>});
