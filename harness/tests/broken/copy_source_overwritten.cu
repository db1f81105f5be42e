// expect: race
// run: step01 -m 65
// says: this write changes what the asynchronous copy
// A block parks its row of C in shared memory, and clears the row before the copy has been waited
// for.
#include "families/gemm.h"
#include <cuda_pipeline.h>

enum { THREADS = 64 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float old[THREADS];
    const int t = threadIdx.x, row = blockIdx.x;
    for (int first = 0; first < p.n; first += THREADS) {
        const int column = first + t;
        const bool is_inside = column < p.n;
        float *const c = &p.c[(size_t)row * p.n + (is_inside ? column : 0)];
        float sum = 0.0f;
        for (int i = 0; is_inside && i < p.k; i++)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
        if (is_inside)
            *c = p.alpha * sum;
        if (is_inside)
            __pipeline_memcpy_async(&old[t], c, sizeof(float));
        __pipeline_commit();
        if (is_inside)
            *c = 0.0f; // BUG
        __pipeline_wait_prior(0);
        if (is_inside)
            *c = old[t];
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)p->m, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"copy_source_overwritten", launch});
