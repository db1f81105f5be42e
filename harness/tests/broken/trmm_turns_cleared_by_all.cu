// expect: race
// run: step09 -n 33
// Blocks draw columns. All blocks but the last clear the counter first; the last one, of columns
// that are over at once, only counts.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, unsigned *drawn)
{
    __shared__ unsigned first;
    if (blockIdx.x < gridDim.x - 1) {
        if (threadIdx.x == 0)
            *drawn = 0;
        return;
    }
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            first = atomicAdd(drawn, blockDim.x); // BUG
        __syncthreads();
        if (first >= (unsigned)p.m)
            return;
        const int col = (int)(first + threadIdx.x);
        for (int row = 0; col < p.m && row < p.n; ++row) {
            double sum = 0.0;
            for (int k = row; k < p.n; ++k)
                sum += p.a[(size_t)row * p.n + k] * p.b[(size_t)k * p.m + col];
            p.b[(size_t)row * p.m + col] += sum;
        }
    }
}

static size_t workspace(const struct lab_trmm *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    trmm<<<4, 32, 0, stream>>>(*p, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"cleared_by_all", launch, workspace});
