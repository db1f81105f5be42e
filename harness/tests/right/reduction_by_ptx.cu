// run: step01
// The long sum is divided among blocks that add to C by red.global; it is cleared, or scaled,
// before.
#include "families/gemm.h"

enum { PARTS = 3 };

static __global__ void scale(const struct lab_gemm p)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < (size_t)p.m * p.n)
        p.c[e] *= p.beta;
}

static __global__ void add(const struct lab_gemm p)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= (size_t)p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < p.k; i += PARTS) {
        float x, y;
        asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(&p.a[e / p.n * p.k + i]));
        asm("ld.global.f32 %0, [%1];" : "=f"(y) : "l"(&p.b[(size_t)i * p.n + e % p.n]));
        asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(x), "f"(y));
    }
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&p.c[e]), "f"(p.alpha * sum) : "memory");
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->m * p->n;
    const unsigned blocks = (unsigned)((count - 1) / 128 + 1);
    if (p->beta == 0.0f)
        cudaMemsetAsync(p->c, 0, count * sizeof(float), stream);
    else
        scale<<<blocks, 128, 0, stream>>>(*p);
    add<<<dim3(blocks, PARTS), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"red", launch});
