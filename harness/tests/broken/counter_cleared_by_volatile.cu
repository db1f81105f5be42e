// expect: race
// on a GPU: ok
// run: step01 -m 65
// says: set the start value in an earlier launch
// Blocks draw rows by counting. The host clears the counter, and the first block does so once more,
// by a volatile store: if it begins late, rows are drawn twice.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, unsigned *drawn)
{
    __shared__ unsigned row;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *(volatile unsigned *)drawn = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            row = atomicAdd(drawn, 1u); // BUG
        __syncthreads();
        if (row >= (unsigned)p.m)
            return;
        for (int col = (int)threadIdx.x; col < p.n; col += (int)blockDim.x) {
            float sum = 0.0f;
            for (int i = 0; i < p.k; ++i)
                sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + col];
            float *const c = &p.c[(size_t)row * p.n + col];
            *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
        }
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    gemm<<<16, 64, 0, stream>>>(*p, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"cleared_by_volatile", launch, workspace});
