// expect: out_of_bounds
// on a GPU: wrong
// run: step08 -m 33 -n 35 -k 3
// says: the first launch was right, the second is not
// The weights' address is put into constant memory by the first call alone.
#include "families/kernel_summation.h"

static __constant__ const float *weights;

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.m)
        return;
    float sum = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; d++) {
            const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * weights[j]; // BUG
    }
    p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    static const float *kept;
    if (!kept) {
        kept = p->w;
        cudaMemcpyToSymbolAsync(weights, &kept, sizeof kept, 0, cudaMemcpyHostToDevice, stream);
    }
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"weights_kept", launch});
