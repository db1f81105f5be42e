// expect: wrong
// run: step08 -m 64 -n 1000 -k 9 --deterministic
// Says that it is deterministic, and sums in another order every other time.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, int backwards)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float total = 0.0f;
    for (int turn = 0; turn < p.n; turn++) {
        int j = backwards ? p.n - 1 - turn : turn;
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    static int calls;
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, calls++ % 2);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"not_repeatable", launch, NULL, LAB_ADDS_ATOMICALLY});
