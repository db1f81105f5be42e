// expect: wrong
// run: step08 -m 300 -n 70 -k 5
// says: graph was right once, launched again it is not
// The counter of blocks is never cleared: the host knows how far it is, and passes the number of
// the last block of this call. Each launch of a graph has the number of the call that was captured.
#include "families/kernel_summation.h"

constexpr int TARGETS = 8; // of a block

__device__ unsigned finished;
static unsigned calls;

static __global__ void sum(const struct lab_kernel_summation p, float factor, unsigned last)
{
    __shared__ bool is_last;
    float *parts = (float *)p.workspace; // (blocks, m)
    const int first = (int)blockIdx.x * TARGETS;
    for (int row = (int)threadIdx.x; row < p.m; row += (int)blockDim.x) {
        float total = 0.0f;
        for (int j = first; j < first + TARGETS && j < p.n; ++j) {
            float distance = 0.0f;
            for (int i = 0; i < p.k; ++i) {
                const float apart = p.a[row * p.k + i] - p.b[j * p.k + i];
                distance += apart * apart;
            }
            total += expf(factor * distance) * p.w[j];
        }
        parts[blockIdx.x * p.m + row] = total;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&finished, 1u) == last;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int row = (int)threadIdx.x; row < p.m; row += (int)blockDim.x) {
        float total = 0.0f;
        for (int i = 0; i < (int)gridDim.x; ++i)
            total += __ldcg(&parts[i * p.m + row]);
        p.v[row] = total;
    }
}

static unsigned blocks_of(const struct lab_kernel_summation *p)
{
    return (unsigned)((p->n - 1) / TARGETS + 1);
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)blocks_of(p) * p->m * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    calls += blocks_of(p);
    sum<<<blocks_of(p), 128, 0, stream>>>(*p, lab_exponent_factor(p->h), calls - 1);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"graph_counts_calls", launch, workspace, LAB_GRAPH});
