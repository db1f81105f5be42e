// expect: race
// on a GPU: ok (seen on an H200)
// run: step09 -n 5
// says: depends on the order in which the blocks and their warps come
// A block for each row counts itself before and after, with fences, as blocks do that wait for
// others: but this one waits for nobody, and rows below it may have changed.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, unsigned *rows)
{
    const int row = (int)blockIdx.x;
    if (threadIdx.x == 0)
        atomicAdd(&rows[0], 1u);
    __syncthreads();
    __threadfence();
    for (int col = (int)threadIdx.x; col < p.m; col += (int)blockDim.x) {
        double sum = p.b[(size_t)row * p.m + col];
        for (int k = row; k < p.n; ++k)
            sum += p.a[(size_t)row * p.n + k] * p.b[(size_t)k * p.m + col]; // BUG
        __threadfence();
        p.b[(size_t)row * p.m + col] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&rows[1], 1u);
}

static size_t workspace(const struct lab_trmm *)
{
    return 2 * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, 2 * sizeof(unsigned), stream);
    trmm<<<p->n, 128, 0, stream>>>(*p, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"does_not_wait", launch, workspace});
