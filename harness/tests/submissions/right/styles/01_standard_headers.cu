// expect: ok
// Headers of C and C++, used on the host and the device, or included and not used.
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "families/gemm.h"

using namespace std;

template <typename T> __device__ enable_if_t<is_floating_point<T>::value, T> zero()
{
    static_assert(numeric_limits<T>::is_iec559, "not IEEE");
    return T(0);
}

__global__ void gemm(struct lab_gemm p)
{
    const uint64_t element = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (uint64_t)p.m * p.n)
        return;
    const int32_t row = element / p.n, col = element % p.n;
    float sum = zero<float>();
    assert(p.k > 0 && p.m <= INT_MAX);
    for (int i = 0; i < p.k; ++i)
        sum = fmaf(p.a[(size_t)i * p.m + row], p.b[(size_t)i * p.n + col], sum);
    p.c[element] = fabsf(p.beta) < FLT_MIN ? p.alpha * sum : p.alpha * sum + p.beta * p.c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const array<int, 2> limits = {32, 1024};
    const auto [least, most] = make_pair(limits.at(0), limits.at(p->m > 0));
    const size_t elements = (size_t)p->m * p->n;
    const int threads = max(least, min(most, 256));
    assert(threads % 32 == 0);
    const int blocks = (int)ceil((double)elements / threads);
    gemm<<<blocks, threads, 0, stream>>>(*p);
    const cudaError_t error = cudaGetLastError();
    assert(error == cudaSuccess);
    return error;
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
