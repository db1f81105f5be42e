// expect: race
// on a GPU: ok
// run: step08 -m 9 -n 70 -k 3
// says: of the same warp come in any order
// Parts go round in scratch memory: each lane takes its neighbour's and puts its sum in the place.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor)
{
    const int lane = threadIdx.x, i = blockIdx.x;
    float *const parts = (float *)p.workspace + (size_t)i * 32;
    float total = 0.0f;
    for (int j = lane; j < p.n; j += 32) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * p.w[j];
    }
    parts[lane] = total;
    for (int step = 1; step < 32; step *= 2) {
        __syncwarp();
        total += parts[(lane + step) % 32];
        parts[lane] = total; // BUG
    }
    if (lane == 0)
        p.v[i] = total;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * 32 * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<p->m, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"next_lane_stores", launch, workspace});
