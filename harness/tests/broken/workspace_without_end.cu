// expect: timeout
// run: step01 -m 17
// says: the workspace function or a constructor has computed on the host
// no line: it is the host that loops
// The workspace is doubled until it is a multiple of m, and m is odd.
#include "families/gemm.h"

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

static size_t workspace(const struct lab_gemm *p)
{
    volatile unsigned bytes = 2;
    while (bytes % (unsigned)p->m != 0) // the next one is no more likely
        bytes = bytes < 1u << 31 ? 2 * bytes : 2;
    return bytes;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<BLOCKS, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"doubles", launch, workspace});
