// run: step01
// The reduction of a warp in volatile shared memory, with __syncwarp() between reading and writing.
#include "families/gemm.h"

enum { THREADS = 64 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float sums[THREADS];
    const int thread = threadIdx.x, row = blockIdx.x, column = blockIdx.y;
    float sum = 0.0f;
    for (int i = thread; i < k; i += THREADS)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    sums[thread] = sum;
    __syncthreads();
    if (thread < 32) {
        volatile float *const s = sums;
        for (int step = 32; step > 0; step /= 2) {
            const float other = s[thread + step];
            __syncwarp();
            s[thread] += other;
            __syncwarp();
        }
    }
    if (thread == 0)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * sums[0] : alpha * sums[0] + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, p->n), THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                   p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"volatile_reduction_in_step", launch});
