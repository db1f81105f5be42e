// expect: race
// run: step01 -m 11 --beta 0.75
// says: or more threads are launched than the kernel counts on
// A block has twice the threads that the kernel counts on: two add beta C to each element.
#include "families/gemm.h"

constexpr int THREADS = 64;

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    for (int e = 0; e < 2; ++e) { // two elements of a thread, THREADS apart
        const int element = (int)((2 * blockIdx.x + e) * THREADS + threadIdx.x);
        if (element >= m * n)
            return;
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += a[element / n * k + i] * b[i * n + element % n];
        c[element] = beta == 0.0f ? alpha * sum : alpha * sum + beta * c[element]; // BUG
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / (2 * THREADS) + 1, 2 * THREADS, 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"twice_the_threads", launch});
