// expect: timeout
// run: step01 -m 3000 -n 16 -k 4
// says: and block (264, 0, 0), like all after it, begins only when one of them ends
// Each block waits for the next one, of which not all are on the GPU at a time.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, int *flags)
{
    const int row = (int)blockIdx.x;
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + j];
        float *c = &p.c[(size_t)row * p.n + j];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
    if (row + 1 < p.m)
        while (*(volatile int *)&flags[row + 1] == 0) // BUG
            ;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&flags[row], 1);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    gemm<<<p->m, 1024, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"waits", launch, workspace});
