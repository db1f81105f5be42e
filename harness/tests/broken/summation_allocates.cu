// expect: forbidden
// run: step08 -m 65 -n 70 -k 5
// says: cudaMallocAsync(), which allocates; a row says in its workspace function
// A copy of the weights in memory of its own.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor, const float *weights)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * weights[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    float *weights = NULL;
    const size_t bytes = p->n * sizeof(float);
    cudaMallocAsync((void **)&weights, bytes, stream);
    cudaMemcpyAsync(weights, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h), weights);
    cudaFreeAsync(weights, stream);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"allocates", launch, NULL});
