// Step 09.1: B <- B + triu(A) B in double precision, in place. A thread takes one column of B, from
// the top down. What stands to the left of A's diagonal is neither read nor multiplied: that halves
// the work.
#include "families/trmm.h"

constexpr int COLUMNS = 64; // threads of a block, a column each

// Row i of the result needs the old rows i, i + 1, ... of B, and no row above. A thread that goes
// down its column has changed only rows above: it never needs them again. From the bottom up it
// would be wrong, since the last row is part of every sum. No thread needs another thread's column,
// so no barrier is needed.
static __global__ __launch_bounds__(COLUMNS) void trmm(int n, int m, const double *a, double *b)
{
    const int column = (int)blockIdx.x * COLUMNS + threadIdx.x;
    if (column >= m)
        return;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        // All threads read the same element of A, and neighbours of one row of B.
        for (int k = row; k < n; ++k)
            sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
        b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"global", launch});
