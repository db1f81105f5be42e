// expect: ok
// Helpers that are not static: inlined or not, overloaded, for host and device, with pointers and
// references.
#include "families/gemm.h"

__device__ __noinline__ float product(float x, float y)
{
    return x * y;
}

__device__ __forceinline__ double product(double x, double y)
{
    return x * y;
}

__host__ __device__ inline int row_of(size_t element, int n)
{
    return (int)(element / n);
}

__host__ __device__ float angle(float x)
{
    float s, c;
    sincosf(x, &s, &c);
    return x < 0.0f ? s + exp10f(x) + (float)lround(x) : c;
}

__host__ __device__ int column_of(size_t element, int n)
{
    return (int)(element % n);
}

extern "C" __device__ void add_to(float *sum, float x)
{
    *sum += x;
}

__device__ void finish(float &c, float sum, float alpha, float beta)
{
    if (beta == 0.0f)
        c = alpha * sum;
    else
        c = alpha * sum + beta * c;
}

__device__ float dot(const struct lab_gemm &p, int row, int col);

__global__ void gemm(struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = row_of(element, p.n), col = column_of(element, p.n);
    finish(p.c[(size_t)row * p.n + col], dot(p, row, col) * angle(0.0f), p.alpha, p.beta);
}

__device__ float dot(const struct lab_gemm &p, int row, int col)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        add_to(&sum, product(p.a[(size_t)i * p.m + row], p.b[(size_t)i * p.n + col]));
    return sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = 256;
    const size_t elements = (size_t)p->m * p->n;
    gemm<<<(unsigned)((elements + threads - 1) / threads), threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
