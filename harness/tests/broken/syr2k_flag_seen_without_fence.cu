// expect: race
// on a GPU: ok
// run: step10 -n 9
// says: another one after the look at it
// One warp leaves its sum in shared memory and sets a volatile flag behind a fence; the other one
// reads the sum without a fence behind its look at the flag.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p, int length)
{
    __shared__ double half;
    __shared__ volatile int is_there;
    const int k = (int)blockIdx.y, l = (int)blockIdx.x, warp = (int)threadIdx.x / 32;
    if (threadIdx.x == 0)
        is_there = 0;
    __syncthreads();
    if (k > l || threadIdx.x % 32 != 0)
        return;
    double sum = 0.0;
    for (int i = warp; i < length; i += 2)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    if (warp == 1) {
        half = sum;
        __threadfence_block();
        is_there = 1;
        return;
    }
    while (is_there == 0)
        ;
    p.c[(size_t)k * p.n + l] = 0.5 * (sum + half); // BUG
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 64, 0, stream>>>(*p, p->p * p->q);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"flag_seen_without_fence", launch});
