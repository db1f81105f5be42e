// expect: race
// run: step10 -n 5 -p 3 -q 50
// A tree of four warps, with a barrier before it but none in it.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    __shared__ double sums[128];
    const int k = blockIdx.y, l = blockIdx.x, t = threadIdx.x, each = p.p * p.q;
    if (l < k)
        return;
    double sum = 0.0;
    for (int i = t; i < each; i += 128)
        sum += p.a[l * each + i] * p.b[k * each + i] + p.a[k * each + i] * p.b[l * each + i];
    sums[t] = sum;
    __syncthreads();
    for (int distance = 64; distance > 0; distance /= 2)
        if (t < distance)
            sums[t] += sums[t + distance]; // BUG
    if (t == 0)
        p.c[k * p.n + l] = 0.5 * sums[0];
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"tree_without_barrier", launch});
