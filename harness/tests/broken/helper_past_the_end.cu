// expect: out_of_bounds
// on a GPU: out_of_bounds
// says: this function was called at
// says: helper_past_the_end.cu:26
// says: element 129 of sums, which has 128
// A helper that two places call reads past an array of one of them, and shifts what is stored.
#include "families/gemm.h"

enum { BLOCK = 128 };

static __device__ float at(const float *values, int i)
{
    return values[i]; // BUG
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ float sums[BLOCK];
    const int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y;
    float sum = 0.0f;
    for (int i = 0; column < n && i < k; i++)
        sum += at(a, row * k + i) * b[(size_t)i * n + column];
    sums[threadIdx.x] = sum;
    __syncthreads();
    const float next = at(sums, threadIdx.x + 1 + (threadIdx.x == BLOCK - 1));
    if (column < n)
        c[(size_t)row * n + column] =
            alpha * next + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + column]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / BLOCK + 1, p->m), BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a,
                                                                   p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"helper_past_the_end", launch});
