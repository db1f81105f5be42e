// expect: wrong
// run: step10 -n 9 -p 3 -q 70
// says: in any order
// Promises the same bits every time, and lets the warps of a block add up in shared memory as they
// come.
#include "families/syr2k.h"

static __global__ void syr2k(struct lab_syr2k p)
{
    __shared__ double total;
    const int l = blockIdx.x, k = blockIdx.y, length = p.p * p.q;
    double sum = 0.0;
    if (threadIdx.x == 0)
        total = 0.0;
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, apart);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum); // BUG
    __syncthreads();
    if (threadIdx.x == 0 && k <= l)
        p.c[(size_t)k * p.n + l] = 0.5 * total;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"sums_of_warps", launch, NULL, LAB_REPEATABLE});
