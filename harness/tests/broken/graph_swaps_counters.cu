// expect: wrong
// run: step01 -m 65 -n 33 -k 70
// says: graph was right once, launched again it is not
// says: count or swap
// Two counters of parts: the host swaps them from call to call, and the last block of a tile clears
// the other one. A graph is captured with one of them, which nobody clears.
#include "families/gemm.h"

constexpr int THREADS = 64, PARTS = 3;

__device__ unsigned arrived[2][1 << 16];
static int which;

static __global__ void gemm(const struct lab_gemm p, float *parts, int now)
{
    __shared__ bool is_last;
    const size_t count = (size_t)p.m * p.n, at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int each = (p.k - 1) / PARTS + 1, first = (int)blockIdx.y * each;
    if (at < count) {
        float sum = 0.0f;
        for (int i = first; i < first + each && i < p.k; ++i)
            sum += p.a[at / p.n * p.k + i] * p.b[(size_t)i * p.n + at % p.n];
        parts[blockIdx.y * count + at] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&arrived[now][blockIdx.x], 1u) == PARTS - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    if (threadIdx.x == 0)
        arrived[1 - now][blockIdx.x] = 0;
    if (at < count) {
        float sum = 0.0f;
        for (int part = 0; part < PARTS; ++part)
            sum += __ldcg(&parts[part * count + at]);
        p.c[at] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[at];
    }
}

static size_t workspace(const struct lab_gemm *p)
{
    return PARTS * sizeof(float) * p->m * p->n;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    which = 1 - which;
    gemm<<<dim3(((size_t)p->m * p->n - 1) / THREADS + 1, PARTS), THREADS, 0, stream>>>(
        *p, (float *)p->workspace, which);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"graph_swaps_counters", launch, workspace, LAB_GRAPH});
