// expect: race
// run: step01 -m 33 -n 40 -k 20
// says: goes by a flag or counter that is set at
// The first block gives out rows through a queue: it counts the queue up, then stores the row.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p, volatile unsigned *tail, volatile int *items)
{
    __shared__ int row;
    if (blockIdx.x == 0) {
        for (int i = 0; threadIdx.x == 0 && i < p.m; i++) {
            *tail = i + 1;
            __threadfence();
            items[i] = p.m - 1 - i;
        }
        return;
    }
    if (threadIdx.x == 0) {
        while (*tail < blockIdx.x)
            ;
        __threadfence();
        row = items[blockIdx.x - 1]; // BUG
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[row * p.k + i] * p.b[i * p.n + threadIdx.x];
    float *const c = &p.c[row * p.n + threadIdx.x];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static size_t workspace(const struct lab_gemm *p)
{
    return sizeof(int) * (p->m + 1);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    unsigned *const tail = (unsigned *)p->workspace;
    cudaMemsetAsync(tail, 0, workspace(p), stream);
    gemm<<<p->m + 1, p->n, 0, stream>>>(*p, tail, (int *)(tail + 1));
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tail_before_item", launch, workspace});
