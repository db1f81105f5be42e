// expect: race
// run: step01 -m 65
// says: the number is read first and counted up in a second step
// The same of a plain read.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, unsigned *next)
{
    __shared__ unsigned row;
    if (threadIdx.x == 0) {
        row = *next;
        atomicAdd(next, 1u); // BUG
    }
    __syncthreads();
    for (int col = (int)threadIdx.x; col < p.n; col += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + col];
        float *const c = &p.c[(size_t)row * p.n + col];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    gemm<<<p->m, 64, 0, stream>>>(*p, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"ticket_read_plainly", launch, workspace});
