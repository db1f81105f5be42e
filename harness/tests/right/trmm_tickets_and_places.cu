// run: step09
// Blocks draw their columns, once each, and count themselves as done; the last one to finish writes
// a row of zeros into scratch memory that nobody reads. Whoever comes first, the result is one.
#include "families/trmm.h"

enum { COLUMNS = 32 };

static __global__ void trmm(const struct lab_trmm p, unsigned *counts, double *zeros)
{
    __shared__ unsigned drawn;
    if (threadIdx.x == 0)
        drawn = atomicAdd(&counts[0], 1u);
    __syncthreads();
    const int col = (int)(drawn * COLUMNS + threadIdx.x);
    for (int row = 0; col < p.m && row < p.n; ++row) {
        double sum = p.b[(size_t)row * p.m + col];
        for (int k = row; k < p.n; ++k)
            sum += p.a[(size_t)row * p.n + k] * p.b[(size_t)k * p.m + col];
        p.b[(size_t)row * p.m + col] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        drawn = atomicAdd(&counts[1], 1u);
    __syncthreads();
    if (drawn == gridDim.x - 1)
        zeros[threadIdx.x] = 0.0;
}

static size_t workspace(const struct lab_trmm *)
{
    return 16 + COLUMNS * sizeof(double);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, 8, stream);
    trmm<<<(p->m - 1) / COLUMNS + 1, COLUMNS, 0, stream>>>(*p, (unsigned *)p->workspace,
                                                           (double *)p->workspace + 2);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"tickets", launch, workspace, LAB_REPEATABLE});
