// expect: timeout
// run: step01 -m 17
// says: has slept for 20 seconds
// no line: it is the host that waits
// The launch function waits for a signal, and no one sends it.
#include "families/gemm.h"

#include <unistd.h>

enum { BLOCKS = 16 };

static __global__ void gemm(const struct lab_gemm p)
{
    const int threads = (int)(gridDim.x * blockDim.x);
    for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x); e < p.m * p.n; e += threads) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)(e / p.n) * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    pause();
    gemm<<<BLOCKS, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"waits", launch});
