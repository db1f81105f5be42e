// run: step01
// Rows of B by float4 from the aligned address below each, whatever n: what belongs to a neighbour
// is masked. Only the last few floats of B, where 16 bytes would reach beyond it, come one by one.
#include "families/gemm.h"

static __device__ float4 four_at(const float *from, const float *end)
{
    if (from + 4 <= end)
        return *(const float4 *)from;
    float4 some = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (from < end)
        some.x = from[0];
    if (from + 1 < end)
        some.y = from[1];
    if (from + 2 < end)
        some.z = from[2];
    return some;
}

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = blockIdx.x, first = (blockIdx.y * blockDim.x + threadIdx.x) * 4;
    if (first >= p.n)
        return;
    const float *const end = p.b + (size_t)p.k * p.n;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p.k; i++) {
        const size_t at = (size_t)i * p.n + first;
        const int shift = (int)(at & 3);
        const float4 low = four_at(p.b + (at & ~(size_t)3), end);
        const float4 high = shift ? four_at(p.b + (at & ~(size_t)3) + 4, end) : low;
        const float both[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        const float factor = p.a[(size_t)row * p.k + i];
        for (int q = 0; q < 4; q++)
            sum[q] += factor * both[shift + q];
    }
    for (int q = 0; q < 4 && first + q < p.n; q++) {
        float *c = &p.c[(size_t)row * p.n + first + q];
        *c = p.alpha * sum[q] + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, (p->n - 1) / 256 + 1), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"masked_tail", launch});
