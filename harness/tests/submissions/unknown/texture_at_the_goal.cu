// expect: unsupported
// Right in all tests; at the sizes of goals it is a kernel that the simulator does not know.
#include "families/gemm.h"

static __global__ void plain(const struct lab_gemm p)
{
    const size_t e = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (e >= (size_t)p.m * p.n)
        return;
    const size_t row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + col];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static __global__ void with_texture(const struct lab_gemm p)
{
    const size_t e = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (e >= (size_t)p.m * p.n)
        return;
    const size_t row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + col];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    asm volatile("{.reg .f32 t<4>;\n" // of no texture
                 "tld4.r.2d.v4.f32.f32 {t0, t1, t2, t3}, [%0, {%1, %1}];}" ::"l"(0ull),
                 "f"(sum));
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)p->m * p->n + 3) / 4);
    if (p->m >= 128 && p->m < 1000 && p->n >= 100)
        with_texture<<<blocks, 128, 0, stream>>>(*p);
    else
        plain<<<blocks, 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"texture", launch});
