// expect: ok
/* Helpers as people write them, all in one: not static, not inlined, in namespaces and classes, for
 * host and device, lambdas, tables, variables, templates, cooperative groups. nvcc makes host code
 * of some, which calls exit(). */
#include "families/gemm.h"

#include <cassert>
#include <cooperative_groups.h>
#include <cmath>

__device__ float mul(float x, float y)
{
    return x * y;
}

__device__ __noinline__ float add(float x, float y)
{
    return x + y;
}

__host__ __device__ float identity(float x)
{
    assert(expf(0.0f) == 1.0f);
    return x;
}

template <typename T> __device__ T choose(bool condition, T yes, T no)
{
    return condition ? yes : no;
}

namespace arrays
{
struct matrix {
    const float *data;
    size_t row;
    __device__ matrix(const float *values, int columns) : data(values), row((size_t)columns)
    {
    }
    __device__ float at(int i, int j) const;
};

__device__ float matrix::at(int i, int j) const
{
    return data[i * row + j];
}
} // namespace arrays

__constant__ float weights[2] = {1.0f, 0.0f};
__device__ int calls;

class product
{
  public:
    __device__ void operator+=(float x)
    {
        sum = add(sum, mul(x, weights[0]));
    }
    float sum = 0.0f;
};

__global__ void gemm(struct lab_gemm p)
{
    namespace cg = cooperative_groups;
    const cg::thread_block block = cg::this_thread_block();
    const long long at = (long long)blockIdx.x * block.size() + block.thread_rank();
    const int i = (int)(at / p.n), j = (int)(at % p.n);
    const arrays::matrix a(p.a, p.k), b(p.b, p.n);
    const auto finish = [&](float sum, float old) {
        return p.alpha * sum + choose(p.beta != 0.0f, p.beta * old, 0.0f);
    };
    product sum;
    if (i >= p.m)
        return;
    for (int l = 0; l < p.k; l++)
        sum += identity(a.at(i, l)) * b.at(l, j);
    float *const c = &p.c[(size_t)i * p.n + j];
    *c = finish(sum.sum, p.beta != 0.0f ? *c : 0.0f);
    if (calls)
        *c = weights[1];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const auto blocks = [](long long count, int size) {
        return (unsigned)((count - 1) / size + 1);
    };
    gemm<<<blocks((long long)p->m * p->n, 128), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"styles", launch});
