// expect: wrong
// run: step08 -m 129 -n 65 -k 9
// says: that value was stored at summation_no_half.cu:
// says: as if the 2 of 2 h^2 were left out
// says not: last
// Forgets the 2 of 2 h^2.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float total = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-distance / (p.h * p.h)) * p.w[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"no_half", launch, NULL});
