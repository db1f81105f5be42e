// expect: wrong
// run: step01 -m 20 -n 24 -k 2000
// says: in one launch and
// says: in the next: a deterministic variant sums in one order
// Blocks draw panels of k until none is left, and each keeps the sum of those that it got. Which
// ones these are differs from run to run.
#include "families/gemm.h"

enum { THREADS = 64, BLOCKS = 6, PANEL = 32 };

static __global__ void add_panels(const struct lab_gemm p, float *parts, unsigned *next)
{
    __shared__ unsigned panel;
    const int count = p.m * p.n;
    float *const mine = parts + (size_t)blockIdx.x * count;
    for (int at = threadIdx.x; at < count; at += THREADS)
        mine[at] = 0.0f;
    for (;;) {
        if (threadIdx.x == 0)
            panel = atomicAdd(next, 1u);
        __syncthreads();
        const int first = (int)panel * PANEL;
        if (first >= p.k)
            return;
        for (int at = threadIdx.x; at < count; at += THREADS)
            for (int i = first; i < first + PANEL && i < p.k; ++i)
                mine[at] += p.a[at / p.n * p.k + i] * p.b[i * p.n + at % p.n];
        __syncthreads();
    }
}

static __global__ void add_parts(const struct lab_gemm p, const float *parts)
{
    const int count = p.m * p.n, at = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;
    if (at >= count)
        return;
    for (int block = 0; block < BLOCKS; ++block)
        sum += parts[block * count + at];
    p.c[at] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[at];
}

static size_t workspace(const struct lab_gemm *p)
{
    return 256 + sizeof(float) * BLOCKS * p->m * p->n;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const parts = (float *)((char *)p->workspace + 256);
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    add_panels<<<BLOCKS, THREADS, 0, stream>>>(*p, parts, (unsigned *)p->workspace);
    add_parts<<<(p->m * p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p, parts);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"panels_drawn_by_blocks", launch, workspace, LAB_REPEATABLE});
