// expect: race
// on a GPU: ok
// run: step08
// says: between the write and the setting of the flag, a __threadfence()
// says not: between the look at the flag
// Blocks leave sums of doubles in scratch memory; the last one adds them up by volatile reads,
// behind a fence. The blocks that count have none.
#include "families/kernel_summation.h"

enum { THREADS = 64, TARGETS = 16 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, double *sums,
                              unsigned *finished)
{
    __shared__ bool is_last;
    for (int i = threadIdx.x; i < p.m; i += THREADS) {
        double sum = 0.0;
        for (int j = blockIdx.x * TARGETS; j < p.n && j < (int)(blockIdx.x + 1) * TARGETS; j++) {
            float distance = 0.0f;
            for (int d = 0; d < p.k; d++) {
                const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
                distance += apart * apart;
            }
            sum += (double)expf(factor * distance) * p.w[j];
        }
        sums[(size_t)blockIdx.x * p.m + i] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(finished, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int i = threadIdx.x; i < p.m; i += THREADS) {
        double sum = 0.0;
        for (unsigned block = 0; block < gridDim.x; block++)
            sum += *(volatile double *)&sums[(size_t)block * p.m + i]; // BUG
        p.v[i] = (float)sum;
    }
}

static unsigned blocks_of(const struct lab_kernel_summation *p)
{
    return (unsigned)((p->n - 1) / TARGETS + 1);
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return 256 + blocks_of(p) * (size_t)p->m * sizeof(double);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    sum_up<<<blocks_of(p), THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h),
                                                 (double *)((char *)p->workspace + 256),
                                                 (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"counted_without_release", launch, workspace, LAB_REPEATABLE});
