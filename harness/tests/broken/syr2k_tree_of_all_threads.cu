// expect: uninitialized
// run: step10 -n 5 -p 3 -q 5
// The tree adds up 32 numbers, of which only as many are there as the sum has terms.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    __shared__ double sums[64];
    const int k = blockIdx.y, l = blockIdx.x, t = threadIdx.x, each = p.p * p.q;
    if (l < k)
        return;
    if (t < each)
        sums[t] = p.a[l * each + t] * p.b[k * each + t] + p.a[k * each + t] * p.b[l * each + t];
    __syncthreads();
    for (int distance = 32; distance > 0; distance /= 2) {
        if (t < distance)
            sums[t] += sums[t + distance]; // BUG
        __syncthreads();
    }
    if (t == 0)
        p.c[k * p.n + l] = 0.5 * sums[0];
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"tree_of_all_threads", launch});
