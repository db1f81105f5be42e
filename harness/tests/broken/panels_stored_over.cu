// expect: race
// run: step01 -m 5 -n 70 -k 100
// says not: elements of different rows
// Panels of 64 elements are stored 48 apart, in an array that has no rows.
#include "families/gemm.h"

enum { THREADS = 64, PANELS = 2 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float row[PANELS * THREADS];
    const int t = threadIdx.x, i = blockIdx.x;
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel) {
        const int k = panel * THREADS + t;
        row[t + 48 * panel] = k < p.k ? p.a[i * p.k + k] : -1.0f; // BUG
    }
    __syncthreads();
    for (int j = t; j < p.n; j += THREADS) {
        float sum = 0.0f;
        for (int k = 0; k < p.k; ++k)
            sum += row[k] * p.b[k * p.n + j];
        p.c[i * p.n + j] =
            p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[i * p.n + j];
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"panels_stored_over", launch});
