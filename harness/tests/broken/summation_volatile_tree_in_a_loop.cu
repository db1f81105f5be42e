// expect: race
// run: step08 -m 3 -n 70 -k 5
// says: volatile orders nothing
// says not: elements of different rows
// The last lanes add up in volatile memory without __syncwarp(). What they read and write lies in
// one row, however far apart.
#include "families/kernel_summation.h"

enum { THREADS = 64 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    __shared__ float sums[THREADS];
    const int i = blockIdx.x, t = threadIdx.x;
    float sum = 0.0f;
    for (int j = t; j < p.n; j += THREADS) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; ++d) {
            const float apart = p.a[i * p.k + d] - p.b[j * p.k + d];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    sums[t] = sum;
    __syncthreads();
    volatile float *const all = sums;
    if (t < 32)
        for (int apart = 32; apart > 0; apart /= 2)
            all[t] += all[t + apart]; // BUG
    if (t == 0)
        p.v[i] = sums[0];
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<p->m, THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"volatile_tree_in_a_loop", launch});
