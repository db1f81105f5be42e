// expect: nan
// run: step08 -m 64 -n 64 -k 3 --bandwidth 1e-30
// The identity without a limit at 0, and a factor that is infinite: 0 or less, times that.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float total = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float a2 = 0.0f, b2 = 0.0f, ab = 0.0f, factor = -0.5f / (p.h * p.h);
        for (int l = 0; l < p.k; l++) {
            float a = p.a[(size_t)i * p.k + l], b = p.b[(size_t)j * p.k + l];
            a2 += a * a;
            b2 += b * b;
            ab += a * b;
        }
        total += expf(factor * a2 + factor * b2 - 2.0f * factor * ab) * p.w[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"negative_distance", launch, NULL});
