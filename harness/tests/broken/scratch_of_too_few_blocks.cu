// expect: uninitialized
// on a GPU: nan
// says: where a kernel is to write it, has its grid blocks, and each block threads, for all of it?
// A is copied to scratch memory by a block for each row of C but the last.
#include "families/gemm.h"

static __global__ void copy(int k, const float *a, float *to)
{
    for (int i = threadIdx.x; i < k; i += blockDim.x)
        to[(size_t)blockIdx.x * k + i] = a[(size_t)blockIdx.x * k + i];
}

static __global__ void gemm(int n, int k, float alpha, const float *a, const float *b, float beta,
                            float *c)
{
    for (int column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += a[(size_t)blockIdx.x * k + i] * b[(size_t)i * n + column]; // BUG
        float *const out = &c[(size_t)blockIdx.x * n + column];
        *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
    }
}

static size_t workspace(const struct lab_gemm *p)
{
    return sizeof(float) * p->m * p->k;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *const copied = (float *)p->workspace;
    copy<<<p->m - 1, 64, 0, stream>>>(p->k, p->a, copied);
    gemm<<<p->m, 64, 0, stream>>>(p->n, p->k, p->alpha, copied, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"scratch_of_too_few_blocks", launch, workspace});
