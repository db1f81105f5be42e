// run: step01
// Blocks draw pieces of C until there are none. Each says by a volatile number which one it had
// last, and looks at what others say; no result depends on that, so that nothing need be in order.
#include "families/gemm.h"

enum { THREADS = 64, BLOCKS = 8 };

static __global__ void gemm(const struct lab_gemm p, unsigned pieces, unsigned *shared)
{
    __shared__ unsigned piece;
    unsigned *const next = &shared[0];
    volatile unsigned *const last = &shared[1];
    for (;;) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        if (piece >= pieces)
            break;
        if (*last == 0xFFFFFFFF)
            break; // what nobody ever says
        const size_t e = (size_t)piece * THREADS + threadIdx.x;
        float sum = 0.0f;
        for (int i = 0; e < (size_t)p.m * p.n && i < p.k; i++)
            sum += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
        if (e < (size_t)p.m * p.n)
            p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
        __syncthreads();
        if (threadIdx.x == 0)
            *last = piece;
    }
}

static size_t workspace(const struct lab_gemm *)
{
    return 4 * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned pieces = (unsigned)(((size_t)p->m * p->n - 1) / THREADS + 1);
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    gemm<<<BLOCKS, THREADS, 0, stream>>>(*p, pieces, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tickets", launch, workspace});
