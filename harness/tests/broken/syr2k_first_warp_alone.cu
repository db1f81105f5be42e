// expect: wrong
// run: step10 -n 5 -p 3 -q 50
// Two warps share a sum, and what the second one has is forgotten.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.y, l = blockIdx.x, t = threadIdx.x, each = p.p * p.q;
    double sum = 0.0;
    for (int i = t; i < each; i += 64)
        sum += p.a[l * each + i] * p.b[k * each + i] + p.a[k * each + i] * p.b[l * each + i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
    if (t == 0 && k <= l)
        p.c[k * p.n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"first_warp_alone", launch});
