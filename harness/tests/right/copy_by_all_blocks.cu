// run: step00a
// warns: one of them would do
// Each thread goes on by one vector, and so copies what others copy, too: in vain, but the same.
#include "families/copy.h"

enum { THREADS = 256 };

static __global__ void copy(int n, const float *from, float *to)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const float4 *const from4 = (const float4 *)from;
    float4 *const to4 = (float4 *)to;
    for (int i = thread; i < n / 4 && i < thread + 300; ++i)
        to4[i] = from4[i];
    if (n / 4 * 4 + thread < n)
        to[n / 4 * 4 + thread] = from[n / 4 * 4 + thread];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n / 4 + THREADS) / THREADS, THREADS, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"by_all_blocks", launch});
