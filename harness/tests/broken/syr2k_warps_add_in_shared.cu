// expect: race
// run: step10
// says: so that changes get lost
// The first lane of each warp adds the warp's sum to a volatile variable in shared memory. Nobody
// waits by a volatile read but the block's first thread, after the barrier.
#include "families/syr2k.h"

enum { THREADS = 64 };

static __global__ void sum_up(const struct lab_syr2k p)
{
    __shared__ volatile double total;
    __shared__ volatile int finished;
    const int k = blockIdx.x, l = blockIdx.y, each = p.p * p.q;
    if (l < k)
        return;
    if (threadIdx.x == 0) {
        total = 0.0;
        finished = 0;
    }
    __syncthreads();
    double sum = 0.0;
    for (int i = threadIdx.x; i < each; i += THREADS)
        sum += p.a[(size_t)l * each + i] * p.b[(size_t)k * each + i] +
               p.a[(size_t)k * each + i] * p.b[(size_t)l * each + i];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, apart);
    if (threadIdx.x % 32 == 0)
        total = total + sum; // BUG
    __syncthreads();
    if (threadIdx.x == 0) {
        finished = 1;
        while (finished == 0)
            ;
        p.c[(size_t)k * p.n + l] = 0.5 * total;
    }
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    sum_up<<<dim3(p->n, p->n), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"warps_add_in_shared", launch});
