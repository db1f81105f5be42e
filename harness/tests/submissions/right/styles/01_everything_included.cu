// expect: ok
// All headers of the standard library at once; constants of namespace scope, also of dim3.
#include "families/gemm.h"

#include <bits/stdc++.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

const dim3 block(256);
static const double root = sqrt(4.0);
const int sizes[] = {128, 256};
static std::atomic<int> calls;

__device__ int first = -1;

__global__ void gemm(struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n, col = element % p.n;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    if (first == (int)element)
        first++;
    p.c[element] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = *std::max_element(std::begin(sizes), std::end(sizes));
    const long long elements = std::accumulate(&p->m, &p->m + 2, 1LL, std::multiplies<>());
    calls++;
    if (root != 2.0 || threads != (int)block.x)
        return cudaErrorUnknown;
    gemm<<<(unsigned)((elements + threads - 1) / threads), block, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
