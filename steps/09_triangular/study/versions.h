// The kernels of a course report's first problem, as its table and its text have them, with guards,
// so that they are right at every size. Who includes this file says what a `real` is, and where a
// problem's a and b are: report.cu has doubles, float.cu floats.
#ifndef LAB_STUDY_VERSIONS_H
#define LAB_STUDY_VERSIONS_H

#include <limits.h>

// A thread takes one column of B, from the top down: rows above, which it has changed, it needs no
// more. Counters of rows and of k are ints or shorts, and the loop over k is unrolled or not.
template <int COLUMNS, typename counter, int UNROLL>
static __global__ __launch_bounds__(COLUMNS) void global(int n, int m, const real *a, real *b)
{
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    if (column >= m)
        return;
    for (counter row = 0; row < n; ++row) {
        real sum = 0;
#pragma unroll UNROLL
        for (counter k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

constexpr int COLUMNS = 64; // threads of a block of the next two kernels, a column each
constexpr int PIECE = 2048; // of a row of A: 16 KB of doubles, which for the report was a whole row

// A row of A in shared memory. With a second buffer the next row goes beside this one, and the
// barrier that kept it waiting is not needed: who loads a buffer anew is behind the barrier of the
// other one, and all come there only after they have read this one. It takes 32 KB for 64 threads.
template <int BUFFERS>
static __global__ __launch_bounds__(COLUMNS) void shared_a(int n, int m, const real *a, real *b)
{
    __shared__ real a_row[BUFFERS][PIECE];
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    int buffer = 0;
    // Threads beyond the last column stay: they help to load, and every barrier counts on them.
    for (int row = 0; row < n; ++row) {
        real sum = 0;
        for (int first = row; first < n; first += PIECE) { // from the diagonal on
            const int count = min(PIECE, n - first);
            for (int i = threadIdx.x; i < count; i += COLUMNS)
                a_row[buffer][i] = a[(size_t)row * n + first + i];
            __syncthreads(); // all threads have written the piece
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

constexpr int SIDE = 32; // a block of the last kernel is SIDE x SIDE threads

// The report's listing: an element of a tile of B for each thread, and 32 columns for each block,
// from the top down. Its counters are shorts; here they are ints, too.
template <typename counter, int UNROLL>
static __global__ __launch_bounds__(SIDE *SIDE) void blocks_2d(int n, int m, const real *a, real *b)
{
    __shared__ real a_tile[SIDE][SIDE]; // (rows of B, k)
    __shared__ real b_tile[SIDE][SIDE]; // (k, columns of B)
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int column = (int)blockIdx.x * SIDE + tx;
    const bool is_column = column < m;
    for (counter first = 0; first < n; first += SIDE) {
        const int row = first + ty;
        const bool is_row = row < n;
        real sum = 0;
        a_tile[ty][tx] =
            is_row && first + tx < n && tx >= ty ? a[(size_t)row * n + first + tx] : (real)0;
        b_tile[ty][tx] = is_row && is_column ? b[(size_t)row * m + column] : (real)0;
        __syncthreads();
        for (counter i = ty; i < SIDE; ++i) // the triangle
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
        for (counter k = first + SIDE; k < n; k += SIDE) { // the rectangle beside it
            a_tile[ty][tx] = is_row && k + tx < n ? a[(size_t)row * n + k + tx] : (real)0;
            b_tile[ty][tx] = k + ty < n && is_column ? b[(size_t)(k + ty) * m + column] : (real)0;
            __syncthreads(); // all threads have written both tiles
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

// The same with other blocks, COLUMNS wide and ROWS high, and panels of DEPTH values of k: the
// listing has 32 of each. A tile of B is as large as a block.
template <int COLUMNS, int ROWS, int DEPTH>
static __global__ __launch_bounds__(COLUMNS *ROWS) void blocks(int n, int m, const real *a, real *b)
{
    __shared__ real a_tile[ROWS][DEPTH];    // (rows of B, k)
    __shared__ real b_tile[DEPTH][COLUMNS]; // (k, columns of B)
    constexpr int THREADS = COLUMNS * ROWS;
    const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * COLUMNS + tx;
    const int first_column = (int)blockIdx.x * COLUMNS;
    for (int first = 0; first < n; first += ROWS) {
        const int row = first + ty;
        real sum = 0;
        for (int k0 = first; k0 < n; k0 += DEPTH) {
#pragma unroll
            for (int e = thread; e < ROWS * DEPTH; e += THREADS) {
                const int r = first + e / DEPTH, k = k0 + e % DEPTH;
                a_tile[e / DEPTH][e % DEPTH] = r <= k && k < n ? a[(size_t)r * n + k] : (real)0;
            }
#pragma unroll
            for (int e = thread; e < DEPTH * COLUMNS; e += THREADS) {
                const int k = k0 + e / COLUMNS, column = first_column + e % COLUMNS;
                b_tile[e / COLUMNS][e % COLUMNS] =
                    k < n && column < m ? b[(size_t)k * m + column] : (real)0;
            }
            __syncthreads(); // all threads have written both tiles
            if (k0 < first + ROWS)
                for (int i = max(row - k0, 0); i < DEPTH; ++i) // the triangle
                    sum += a_tile[ty][i] * b_tile[i][tx];
            else
#pragma unroll
                for (int i = 0; i < DEPTH; ++i) // the rectangle beside it
                    sum += a_tile[ty][i] * b_tile[i][tx];
            __syncthreads(); // and all are done with them before they are overwritten
        }
        // The rows of this tile were read by all before the last barrier: they may change now.
        if (row < n && first_column + tx < m)
            b[(size_t)row * m + first_column + tx] += sum;
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
        global<THREADS, counter, UNROLL>
            <<<blocks, THREADS, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    else
        global<THREADS, int, UNROLL><<<blocks, THREADS, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    return cudaGetLastError();
}

template <int BUFFERS>
static cudaError_t launch_shared_a(const struct lab_trmm *p, cudaStream_t stream)
{
    shared_a<BUFFERS>
        <<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    return cudaGetLastError();
}

template <typename counter, int UNROLL>
static cudaError_t launch_blocks_2d(const struct lab_trmm *p, cudaStream_t stream)
{
    const int blocks = (p->m - 1) / SIDE + 1;
    const dim3 threads(SIDE, SIDE);
    if (is_short(p))
        blocks_2d<counter, UNROLL><<<blocks, threads, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    else
        blocks_2d<int, UNROLL><<<blocks, threads, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    return cudaGetLastError();
}

template <int COLUMNS, int ROWS, int DEPTH>
static cudaError_t launch_blocks(const struct lab_trmm *p, cudaStream_t stream)
{
    const dim3 threads(COLUMNS, ROWS);
    blocks<COLUMNS, ROWS, DEPTH>
        <<<(p->m - 1) / COLUMNS + 1, threads, 0, stream>>>(p->n, p->m, a_of(p), b_of(p));
    return cudaGetLastError();
}

#endif
