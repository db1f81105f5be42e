// run: step08
// A warp for each source; its lanes add their sums up in volatile shared memory, in rounds
// that wait for each other.
#include "families/kernel_summation.h"

enum { WARPS = 4 };

static __global__ void sum(struct lab_kernel_summation p, float factor)
{
    __shared__ volatile float sums[WARPS][32];
    const int lane = threadIdx.x, warp = threadIdx.y, i = blockIdx.x * WARPS + warp;
    float total = 0.0f;
    for (int j = lane; i < p.m && j < p.n; j += 32) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * p.w[j];
    }
    sums[warp][lane] = total;
    for (int half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half)
            sums[warp][lane] += sums[warp][lane + half];
    }
    if (lane == 0 && i < p.m)
        p.v[i] = sums[warp][0];
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / WARPS + 1, dim3(32, WARPS), 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"volatile_rounds", launch, NULL});
