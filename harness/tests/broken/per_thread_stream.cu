// expect: forbidden
// run: step01 -m 33 -n 70 -k 9
// says: on the per-thread default stream
// The kernel is launched in the default stream of the host's thread.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    (void)stream;
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, cudaStreamPerThread>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"per_thread_stream", launch});
