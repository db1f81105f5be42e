// expect: unwritten
// on a GPU: ok
// run: step01 -m 9 -n 64 -k 9
// The lines of C are discarded behind the stores, as if that only freed the cache.
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
    __syncwarp(__activemask());
    if ((size_t)c % 128 == 0)
        asm volatile("discard.global.L2 [%0], 128;" ::"l"(c) : "memory");
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"discards_what_it_wrote", launch});
