// expect: wrong
// run: step10 -n 33 -p 5 -q 70
// says: deterministic
// Promises the same bits; the warps of a block add to its sum under a lock, in any order.
#include "families/syr2k.h"

static __global__ void syr2k(struct lab_syr2k p)
{
    __shared__ int lock;
    __shared__ double total;
    const int l = blockIdx.x, k = blockIdx.y, length = p.p * p.q;
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0.0;
    }
    __syncthreads();
    if (k > l)
        return;
    double sum = 0.0;
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        *(volatile double *)&total += sum;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        p.c[(size_t)k * p.n + l] = 0.5 * total;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"lock", launch, NULL, LAB_REPEATABLE});
