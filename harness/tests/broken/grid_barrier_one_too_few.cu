// expect: race
// says: does the wait leave a block out
// A barrier of the grid that lets blocks go on when all but one have come.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, float *sums, unsigned *come)
{
    const int n = p.n, block = (int)blockIdx.x, row = block;
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * n + col];
        sums[(size_t)row * n + col] = sum; // BUG: either side of the race is named
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(come, 1);
        while (*(volatile unsigned *)come < gridDim.x - 1)
            ;
        __threadfence();
    }
    __syncthreads();
    const int other = (row + 1) % p.m;
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
        float *const c = &p.c[(size_t)other * n + col];
        const float sum = p.alpha * sums[(size_t)other * n + col]; // BUG
        *c = p.beta == 0.0f ? sum : sum + p.beta * *c;
    }
}

static size_t workspace(const struct lab_gemm *p)
{
    return ((size_t)p->m * p->n + 1) * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace + 1;
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    gemm<<<p->m, 64, 0, stream>>>(*p, sums, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"grid_barrier_one_too_few", launch, workspace});
