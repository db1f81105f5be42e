// run: step01
// Eight lanes share the sum of an element, as a cooperative group that adds up by shuffles.
#include "families/gemm.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __global__ void gemm(const struct lab_gemm p)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<8> group = cg::tiled_partition<8>(block);
    const size_t element = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / group.size();
    if (element >= (size_t)p.m * p.n)
        return;
    const size_t row = element / p.n, column = element % p.n;
    float sum = 0.0f;
    for (int i = group.thread_rank(); i < p.k; i += group.size())
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + column];
    for (int distance = group.size() / 2; distance > 0; distance /= 2)
        sum += group.shfl_down(sum, distance);
    if (group.thread_rank() == 0)
        p.c[element] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[element] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / 16 + 1), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"groups", launch});
