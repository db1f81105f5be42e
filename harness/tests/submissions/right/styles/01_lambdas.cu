// expect: ok
// Lambdas on the device, generic ones, one that is given to a template, one in the launch function.
#include "families/gemm.h"

template <typename Function> __device__ void for_each(int count, Function function)
{
    for (int i = 0; i < count; ++i)
        function(i);
}

__global__ void gemm(struct lab_gemm p)
{
    const auto element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const auto multiply = [](auto x, auto y) { return x * y; };
    if (element >= multiply((size_t)p.m, (size_t)p.n))
        return;
    const auto row = element / p.n;
    const auto col = element % p.n;
    auto sum = 0.0f;
    for_each(p.k, [&](int i) {
        sum += multiply(p.a[(size_t)i * p.m + row], p.b[(size_t)i * p.n + col]);
    });
    auto finish = [=](float old) mutable { return p.alpha * sum + p.beta * old; };
    p.c[element] = p.beta == 0.0f ? p.alpha * sum : finish(p.c[element]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    auto blocks = [p](size_t threads) -> unsigned {
        return (unsigned)(((size_t)p->m * p->n + threads - 1) / threads);
    };
    gemm<<<blocks(256), 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
