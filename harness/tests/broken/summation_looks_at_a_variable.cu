// expect: forbidden
// run: step08 -m 65 -n 70 -k 9
// says: cudaMemcpyFromSymbolAsync(), which copies to the host
// The device finds the largest weight, and the host launches nothing where that is 0.
#include "families/kernel_summation.h"

__device__ float largest;

static __global__ void find(int n, const float *w)
{
    float most = 0.0f;
    for (int j = 0; j < n; ++j)
        most = fmaxf(most, fabsf(w[j]));
    largest = most;
}

static __global__ void sum(const struct lab_kernel_summation p, float factor)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= p.m)
        return;
    float total = 0.0f;
    for (int j = 0; j < p.n; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    p.v[row] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    float most = 0.0f;
    find<<<1, 1, 0, stream>>>(p->n, p->w);
    cudaMemcpyFromSymbolAsync(&most, largest, sizeof most, 0, cudaMemcpyDeviceToHost, stream);
    if (most == 0.0f)
        return cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"looks", launch});
