// expect: misaligned
// says: and rows of B are 516 bytes apart, so that not each of them begins at one
// Rows of 129 floats do not start at multiples of 16 bytes.
#include "families/gemm.h"

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (row >= m || column >= n / 4)
        return;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < k; i++) {
        float4 v = *(const float4 *)&b[(size_t)i * n + 4 * column]; // BUG
        float f = alpha * a[(size_t)row * k + i];
        sum = make_float4(sum.x + f * v.x, sum.y + f * v.y, sum.z + f * v.z, sum.w + f * v.w);
    }
    float *out = &c[(size_t)row * n + 4 * column];
    out[0] = sum.x + beta * out[0];
    out[1] = sum.y + beta * out[1];
    out[2] = sum.z + beta * out[2];
    out[3] = sum.w + beta * out[3];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 127) / 128, p->m), 128, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                             p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"misaligned_vector", launch});
