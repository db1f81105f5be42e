// expect: uninitialized
// on a GPU: ok
// run: step08 -m 9 -n 20 -k 3
// says: a lane that does not take part
// Lanes without a target return before the sums go down the warp.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor)
{
    const int lane = threadIdx.x, i = blockIdx.x;
    float total = 0.0f;
    if (lane >= p.n)
        return;
    for (int j = lane; j < p.n; j += 32) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * p.w[j];
    }
    for (int apart = 16; apart > 0; apart /= 2)
        total += __shfl_xor_sync(0xFFFFFFFF, total, apart); // BUG
    if (lane == 0)
        p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<p->m, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"lanes_that_left", launch});
