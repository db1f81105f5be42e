// expect: uninitialized
// on a GPU: ok
// run: step01 -m 17 -n 17 -k 20
// says: a lane that does not take part
// Only lanes that have a term go on to the sum, and each adds what a lane further on may never
// bring.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int lane = threadIdx.x;
    float sum = 0.0f;
    for (int i = lane; i < p.k; i += 32)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + blockIdx.y];
    if (lane < p.k)
        for (int apart = 16; apart > 0; apart /= 2)
            sum += __shfl_down_sync(__activemask(), sum, apart); // BUG
    float *c = &p.c[blockIdx.x * p.n + blockIdx.y];
    if (lane == 0)
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, p->n), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shuffle_of_active_lanes", launch});
