// run: step08
// The last block is told by a counter that the device keeps from launch to launch, and the host
// swaps two of them: either is right whenever a graph is launched again.
#include "families/kernel_summation.h"

enum { THREADS = 64, TARGETS = 16 };

__device__ unsigned finished[2];
static int which;

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, double *sums,
                              unsigned *counter)
{
    __shared__ bool is_last;
    const int first = blockIdx.x * TARGETS;
    for (int i = threadIdx.x; i < p.m; i += THREADS) {
        double sum = 0.0;
        for (int j = first; j < p.n && j < first + TARGETS; j++) {
            float distance = 0.0f;
            for (int d = 0; d < p.k; d++) {
                const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
                distance += apart * apart;
            }
            sum += (double)expf(factor * distance) * p.w[j];
        }
        sums[(size_t)blockIdx.x * p.m + i] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int i = threadIdx.x; i < p.m; i += THREADS) {
        double sum = 0.0;
        for (unsigned block = 0; block < gridDim.x; block++)
            sum += *(volatile double *)&sums[(size_t)block * p.m + i];
        p.v[i] = (float)sum;
    }
}

static unsigned blocks_of(const struct lab_kernel_summation *p)
{
    return (unsigned)((p->n - 1) / TARGETS + 1);
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return blocks_of(p) * (size_t)p->m * sizeof(double);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    void *counters = NULL;
    const cudaError_t status = cudaGetSymbolAddress(&counters, finished);
    if (status != cudaSuccess)
        return status;
    which = 1 - which;
    sum_up<<<blocks_of(p), THREADS, 0, stream>>>(
        *p, lab_exponent_factor(p->h), (double *)p->workspace, (unsigned *)counters + which);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation,
           {"graph_counts_launches", launch, workspace, LAB_REPEATABLE | LAB_GRAPH});
