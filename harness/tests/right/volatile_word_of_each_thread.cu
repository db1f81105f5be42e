// run: step01
// In each of 64 blocks a thread adds up in a volatile word of its own, which no other thread uses.
#include "families/gemm.h"

enum { BLOCKS = 64, THREADS = 128, WORDS = BLOCKS * THREADS };

static __global__ void gemm(const struct lab_gemm p, volatile float *words)
{
    const size_t elements = (size_t)p.m * p.n;
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    for (size_t e = thread; e < elements; e += WORDS) {
        words[thread] = 0.0f;
        for (int i = 0; i < p.k; i++)
            words[thread] += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
        p.c[e] = p.alpha * words[thread] + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
    }
}

static size_t workspace(const struct lab_gemm *p)
{
    (void)p;
    return WORDS * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<BLOCKS, THREADS, 0, stream>>>(*p, (volatile float *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"volatile_word_of_each_thread", launch, workspace});
