// expect: ok
// Variables without a value that nobody asks for: they are stored where nobody looks, tested
// beside a condition that decides already, and elements of an array of the thread's own are left
// out.
#include "families/gemm.h"

enum { THREADS = 64 };

static __device__ float pick(const float *few, int count, int at)
{
    float best = 0.0f;
    for (int i = 0; i < 8; i++)
        if (i < count && (i == at || few[i] > 1e30f))
            best = few[i];
    return best;
}

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float values[THREADS];
    const int row = blockIdx.x, column = blockIdx.y * THREADS + threadIdx.x;
    const bool is_inside = column < p.n;
    float sum, old, few[8];
    float4 parts;
    if (is_inside) {
        sum = 0.0f;
        parts.x = parts.y = 0.0f;
        for (int i = 0; i < p.k; i++)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
        if (p.beta != 0.0f)
            old = p.c[(size_t)row * p.n + column];
        parts.z = sum;
    }
    values[threadIdx.x] = sum;
    ((float4 *)p.workspace)[((size_t)row * gridDim.y + blockIdx.y) * THREADS + threadIdx.x] = parts;
    __syncthreads();
    const int count = p.k % 8 + 1;
    for (int i = 0; i < count; i++)
        few[(i * 3 + p.m) % 8] = 1.0f;
    for (int i = 0; i < count; i++)
        few[i] = is_inside ? values[threadIdx.x] : 0.0f;
    const float mine = pick(few, count, count - 1);
    if (is_inside && (mine == sum || sum != sum))
        p.c[(size_t)row * p.n + column] = p.alpha * mine + (p.beta != 0.0f ? p.beta * old : 0.0f);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)p->m * ((p->n - 1) / THREADS + 1) * THREADS * sizeof(float4);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, (p->n - 1) / THREADS + 1), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"undefined_unused", launch, workspace});
