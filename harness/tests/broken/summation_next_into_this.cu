// expect: race
// run: step08 -m 70 -n 67 -k 3
// The next weights are loaded into the buffer that the sum still uses.
#include "families/kernel_summation.h"

static __device__ float distance_of(const struct lab_kernel_summation &p, int i, int j)
{
    float distance = 0.0f;
    for (int d = 0; d < p.k; d++) {
        const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
        distance += apart * apart;
    }
    return distance;
}

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    __shared__ float weights[2][16];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float sum = 0.0f;
    if (t < 16)
        weights[0][t] = t < p.n ? p.w[t] : 0.0f;
    __syncthreads();
    for (int first = 0, buffer = 0; first < p.n; first += 16) {
        if (t < 16)
            weights[buffer][t] = first + 16 + t < p.n ? p.w[first + 16 + t] : 0.0f;
        for (int j = first; i < p.m && j < first + 16 && j < p.n; j++)
            sum += expf(factor * distance_of(p, i, j)) * weights[buffer][j - first]; // BUG
        __syncthreads();
        buffer ^= 1;
    }
    if (i < p.m)
        p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"next_into_this", launch});
