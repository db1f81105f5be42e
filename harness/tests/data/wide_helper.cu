/* A row whose helper has more threads, and more registers in all, than the kernel that does the
 * work. */
#include "families/gemm.h"

static __global__ void clear(int m, int n, float beta, float *c)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (long long)m * n)
        c[i] = beta == 0.0f ? 0.0f : beta * c[i];
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c)
{
    for (int i = threadIdx.x; i < m * n; i += 32)
        for (int j = 0; j < k; ++j)
            c[i] += alpha * a[i / n * k + j] * b[j * n + i % n];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    clear<<<64, 256, 0, stream>>>(p->m, p->n, p->beta, p->c);
    gemm<<<1, 32, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c);
    return cudaGetLastError();
}

static cudaError_t launch_between(const struct lab_gemm *p, cudaStream_t stream)
{
    clear<<<64, 256, 0, stream>>>(p->m, p->n, p->beta, p->c);
    gemm<<<1, 32, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c);
    clear<<<64, 256, 0, stream>>>(0, 0, 0.0f, p->c); // nothing is left to clear
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"wide_helper", launch}, {"helper_last", launch_between});
