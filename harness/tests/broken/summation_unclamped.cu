// expect: wrong
// run: step08 -m 257 -n 2000 -k 1 --bandwidth 1e-30
// The squared distance as the step has it, but a little less than nothing counts as what it is: the
// factor blows it up to infinity.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float total = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float a2 = 0.0f, b2 = 0.0f, ab = 0.0f;
        for (int l = 0; l < p.k; l++) {
            float a = p.a[(size_t)i * p.k + l], b = p.b[(size_t)j * p.k + l];
            a2 += a * a;
            b2 += b * b;
            ab += a * b;
        }
        total += expf(factor * (a2 + b2 - 2.0f * ab)) * p.w[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, -3.4e38f);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"unclamped", launch, NULL});
