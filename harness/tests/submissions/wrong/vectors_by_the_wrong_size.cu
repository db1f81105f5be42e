// expect: misaligned|out_of_bounds
// Reads A by 16 bytes where n is a multiple of 4, although A's rows are k long.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const size_t e = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (e >= (size_t)p.m * p.n)
        return;
    const size_t row = e / p.n, col = e % p.n;
    float sum = 0.0f;
    const bool vectors = p.n % 4 == 0;
    for (int i = threadIdx.x % 32 * (vectors ? 4 : 1); i < p.k; i += vectors ? 128 : 32) {
        const float *a = p.a + row * p.k + i;
        float4 four = {0.0f, 0.0f, 0.0f, 0.0f};
        if (vectors)
            four = *(const float4 *)a;
        else
            four.x = *a;
        const float values[] = {four.x, four.y, four.z, four.w};
        for (int j = 0; j < (vectors ? 4 : 1) && i + j < p.k; j++)
            sum += values[j] * p.b[(size_t)(i + j) * p.n + col];
    }
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0)
        p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n + 3) / 4), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"vectors", launch});
