// run: step01
// A and B are copied to scratch memory with rows of whole 16 bytes; what fills them up is cleared
// once, more scratch memory is asked for than used, and what is used does not begin where it does.
#include "families/gemm.h"

static __host__ __device__ size_t pitch(int columns)
{
    return ((size_t)columns + 3) / 4 * 4;
}

static __global__ void gemm(const struct lab_gemm p, const float *a, const float *b)
{
    const int row = blockIdx.y + gridDim.y * blockIdx.z;
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (row >= p.m || column >= p.n)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < p.k; i++) {
        const float x = a[row * pitch(p.k) + i];
        const float4 y = *(const float4 *)&b[i * pitch(p.n) + column];
        sum.x += x * y.x;
        sum.y += x * y.y;
        sum.z += x * y.z;
        sum.w += x * y.w;
    }
    const float *sums = &sum.x;
    for (int q = 0; q < 4 && column + q < p.n; q++) {
        float *c = &p.c[(size_t)row * p.n + column + q];
        *c = p.alpha * sums[q] + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static size_t workspace(const struct lab_gemm *p)
{
    return 4096 + 2 * (p->m * pitch(p->k) + p->k * pitch(p->n)) * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    float *a = (float *)p->workspace + 12, *b = a + p->m * pitch(p->k);
    cudaMemsetAsync(b, 0, p->k * pitch(p->n) * sizeof(float), stream);
    cudaMemcpy2DAsync(a, pitch(p->k) * 4, p->a, p->k * 4, p->k * 4, p->m, cudaMemcpyDeviceToDevice,
                      stream);
    cudaMemcpy2DAsync(b, pitch(p->n) * 4, p->b, p->n * 4, p->n * 4, p->k, cudaMemcpyDeviceToDevice,
                      stream);
    const unsigned rows = p->m < 500 ? p->m : 500;
    gemm<<<dim3((p->n - 1) / 128 + 1, rows, (p->m - 1) / rows + 1), 32, 0, stream>>>(*p, a, b);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"pitch", launch, workspace});
