// expect: out_of_bounds
// All blocks meet at a barrier of their own making, and one writes past the end before it comes.
#include "families/gemm.h"

enum { BLOCKS = 16, ROUNDS = 3 };

static __global__ void gemm(const struct lab_gemm p, int *count)
{
    for (int round = 1; round <= ROUNDS; ++round) {
        __syncthreads();
        if (round == 2 && blockIdx.x == BLOCKS - 1)
            count[1 + threadIdx.x] = round; // BUG
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (atomicAdd(count, 0) < BLOCKS * round)
                __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
    }
    const int threads = (int)(gridDim.x * blockDim.x);
    for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x); e < p.m * p.n; e += threads) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)(e / p.n) * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    gemm<<<BLOCKS, 64, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fails", launch, workspace});
