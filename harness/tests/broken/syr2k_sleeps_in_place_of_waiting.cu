// expect: race
// on a GPU: ok
// run: step10 -n 9
// says: sleeping orders nothing
// One warp leaves its sum in shared memory behind a fence; the other one sleeps until it ought to
// be there.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p, int length)
{
    __shared__ double half;
    const int k = (int)blockIdx.y, l = (int)blockIdx.x, warp = (int)threadIdx.x / 32;
    if (k > l || threadIdx.x % 32 != 0)
        return;
    double sum = 0.0;
    for (int i = warp; i < length; i += 2)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    if (warp == 1) {
        half = sum;
        __threadfence_block();
        return;
    }
    __nanosleep(100000);
    __threadfence_block();
    p.c[(size_t)k * p.n + l] = 0.5 * (sum + half); // BUG
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), 64, 0, stream>>>(*p, p->p * p->q);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"sleeps", launch});
