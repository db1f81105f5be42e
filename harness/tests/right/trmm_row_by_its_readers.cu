// run: step09
// Each row is changed when the blocks of all rows above have read it, in place.
#include "families/trmm.h"

constexpr int T = 32; // threads, columns

// A block takes a row of a panel of columns by number, and counts itself at the rows that it has
// read; it changes its own when all above have.
static __global__ void trmm(int n, int m, const double *a, double *b, unsigned *counters)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(&counters[0], 1u);
    __syncthreads();
    const int panels = (m - 1) / T + 1, panel = (int)number % panels, row = (int)number / panels;
    const int column = panel * T + (int)threadIdx.x;
    unsigned *const readers = counters + 1 + panel;
    double sum = column < m ? b[(size_t)row * m + column] : 0.0;
    for (int k = row; k < n && column < m; ++k)
        sum += a[(size_t)row * n + k] * b[(size_t)k * m + column];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        for (int k = row + 1; k < n; ++k)
            atomicAdd(&readers[(size_t)k * panels], 1u);
        while (atomicAdd(&readers[(size_t)row * panels], 0u) < (unsigned)row)
            __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
    if (column < m)
        b[(size_t)row * m + column] = sum;
}

static size_t blocks_of(const struct lab_trmm *p)
{
    return (size_t)p->n * ((p->m - 1) / T + 1);
}

static size_t workspace(const struct lab_trmm *p)
{
    return (1 + blocks_of(p)) * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const cudaError_t status = cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    if (status != cudaSuccess)
        return status;
    trmm<<<(unsigned)blocks_of(p), T, 0, stream>>>(p->n, p->m, p->a, p->b,
                                                   (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"row_by_its_readers", launch, workspace});
