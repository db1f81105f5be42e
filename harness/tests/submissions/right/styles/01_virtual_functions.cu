// expect: ok
// A class with virtual functions, made and used on the device.
#include "families/gemm.h"

struct Ending {
    __device__ virtual float of(float sum, float c) const = 0;
};

struct Scaled : Ending {
    float alpha;
    __device__ explicit Scaled(float x) : alpha(x)
    {
    }
    __device__ float of(float sum, float) const override;
};

__device__ float Scaled::of(float sum, float) const
{
    return alpha * sum;
}

struct Blended final : Scaled {
    float beta;
    __device__ Blended(float x, float y) : Scaled(x), beta(y)
    {
    }
    __device__ float of(float sum, float c) const override
    {
        return alpha * sum + beta * c;
    }
};

__global__ void gemm(struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n, col = element % p.n;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    const Scaled scaled(p.alpha);
    const Blended blended(p.alpha, p.beta);
    const Ending *ending = p.beta == 0.0f ? (const Ending *)&scaled : &blended;
    p.c[element] = ending->of(sum, p.beta == 0.0f ? 0.0f : p.c[element]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = 256;
    const size_t elements = (size_t)p->m * p->n;
    gemm<<<(unsigned)((elements + threads - 1) / threads), threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
