// expect: timeout
// run: step09 -n 600 -m 3
// says: begins only when one of them ends
// A block waits, asleep, until all have read their columns, though not all are on the GPU.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, int *count)
{
    const int row = (int)blockIdx.x, column = (int)threadIdx.x;
    double sum = 0.0;
    for (int i = row + 1; i < p.n && column < p.m; ++i)
        sum += p.a[(size_t)row * p.n + i] * p.b[(size_t)i * p.m + column];
    __syncthreads();
    if (column == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int *)count < p.n) // BUG
            __nanosleep(200);
        __threadfence();
    }
    __syncthreads();
    if (column < p.m)
        p.b[(size_t)row * p.m + column] += sum;
}

static size_t workspace(const struct lab_trmm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    trmm<<<p->n, 1024, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"sleeps", launch, workspace});
