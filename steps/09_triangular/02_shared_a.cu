// Step 09.2: all columns take the same row of A, so a block keeps it in shared memory, a piece at a
// time. A thread then waits for one load from global memory in each turn, that of B, and no longer
// for two.
#include "families/trmm.h"

constexpr int COLUMNS = 64; // threads of a block, a column each
constexpr int PIECE = 2048; // of a row of A: 16 KB, which for the report was a whole row

// Row i of the result needs the old rows i, i + 1, ... of B, and no row above. A thread that goes
// down its column has changed only rows above: it never needs them again. From the bottom up it
// would be wrong, since the last row is part of every sum. No thread needs another thread's column:
// barriers are for the row of A alone.
static __global__ __launch_bounds__(COLUMNS) void trmm(int n, int m, const double *a, double *b)
{
    __shared__ double a_row[PIECE];
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    // Threads beyond the last column stay: they help to load, and every barrier counts on them.
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int first = row; first < n; first += PIECE) { // from the diagonal on
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

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"shared_a", launch});
