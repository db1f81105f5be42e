// expect: race
// run: step08 -m 33 -n 35 -k 3
// says: commit a group in each iteration, an empty one where nothing is left to copy
// One group of copies may be on its way while the other is used; in the last round it is the one
// that is used.
#include "families/kernel_summation.h"

#include <cuda_pipeline.h>

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
    const int t = threadIdx.x, i = blockIdx.x * 32 + t, rounds = (p.n - 1) / 16 + 1;
    float sum = 0.0f;
    for (int round = 0; round <= rounds; round++) {
        const int next = round * 16 + t;
        if (round < rounds) {
            if (t < 16 && next < p.n)
                __pipeline_memcpy_async(&weights[round % 2][t], &p.w[next], sizeof(float));
            __pipeline_commit();
        }
        if (round == 0)
            continue;
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int j = (round - 1) * 16; i < p.m && j < round * 16 && j < p.n; j++)
            sum += expf(factor * distance_of(p, i, j)) * weights[(round - 1) % 2][j % 16]; // BUG
        __syncthreads();
    }
    if (i < p.m)
        p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / 32 + 1, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"last_group", launch});
