// expect: ok
// Inline PTX, volatile, intrinsics, vector types, __restrict__, __ldg, pragmas.
#include "families/gemm.h"

static __device__ __forceinline__ float fma_by_ptx(float x, float y, float z)
{
    float r;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
    return r;
}

static __device__ unsigned lane()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}

__global__ void gemm(const struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + (threadIdx.x & ~31u) + lane();
    if (element >= (size_t)p.m * p.n)
        return;
    const float *__restrict__ a = p.a, *__restrict__ b = p.b;
    const int2 at = make_int2((int)(element / p.n), (int)(element % p.n));
    volatile float factor = p.alpha;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = 0; i < p.k; ++i)
        sum = fma_by_ptx(__ldg(&a[(size_t)i * p.m + at.x]), __ldg(&b[(size_t)i * p.n + at.y]), sum);
#pragma unroll 1
    for (int i = 0; i < 1; ++i)
        sum = __fmul_rn(factor, sum);
    if (p.beta != 0.0f)
        sum = __fmaf_rn(p.beta, p.c[element], sum);
    p.c[element] = sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = 256;
    const size_t elements = (size_t)p->m * p->n;
    gemm<<<(unsigned)((elements + threads - 1) / threads), threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
