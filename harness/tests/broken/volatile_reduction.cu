// expect: race
// says: of the same warp come in any order
// says: volatile orders nothing
// The textbook's reduction: the last warp adds up in volatile shared memory, without __syncwarp().
#include "families/gemm.h"

enum { THREADS = 64 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float sums[THREADS];
    const int thread = threadIdx.x, row = blockIdx.y, column = blockIdx.x;
    float sum = 0.0f;
    for (int i = thread; i < k; i += THREADS)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    sums[thread] = sum;
    __syncthreads();
    if (thread < 32) {
        volatile float *const s = sums;
        s[thread] += s[thread + 32];
        s[thread] += s[thread + 16]; // BUG
        s[thread] += s[thread + 8];
        s[thread] += s[thread + 4];
        s[thread] += s[thread + 2];
        s[thread] += s[thread + 1];
    }
    if (thread == 0)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * sums[0] : alpha * sums[0] + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->n, p->m), THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                   p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"volatile_reduction", launch});
