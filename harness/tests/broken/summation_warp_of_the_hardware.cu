// expect: unwritten
// on a GPU: ok
// run: step08 -m 300 -n 70 -k 5
// A warp takes the target of its number on the SM, which is not the one in its block.
#include "families/kernel_summation.h"

constexpr int WARPS = 4;

static __global__ void sum(const struct lab_kernel_summation p, float factor)
{
    unsigned warp;
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    const int row = (int)(blockIdx.x * WARPS + warp);
    float total = 0.0f;
    if (warp >= WARPS || row >= p.m)
        return;
    for (int j = (int)threadIdx.x % 32; j < p.n; j += 32) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[row * p.k + i] - p.b[j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    for (int step = 16; step > 0; step /= 2)
        total += __shfl_down_sync(~0u, total, step);
    if (threadIdx.x % 32 == 0)
        p.v[row] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / WARPS + 1, 32 * WARPS, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"warp_of_the_hardware", launch});
