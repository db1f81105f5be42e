// expect: ok
// Variadic templates, fold expressions, template template parameters, a policy class, CRTP.
#include <utility>
#include "families/gemm.h"

template <typename... Ts> __device__ auto total(Ts... values)
{
    return (values + ...);
}

template <typename T, typename... More>
__host__ __device__ constexpr T largest(T first, More... more)
{
    T most = first;
    ((most = more > most ? more : most), ...);
    return most;
}

template <class Derived> struct Base {
    __device__ float finish(float sum, float c) const
    {
        return static_cast<const Derived *>(this)->end(sum, c);
    }
};

struct Ending : Base<Ending> {
    float alpha, beta;
    __device__ float end(float sum, float c) const
    {
        return total(alpha * sum, beta * c);
    }
};

template <int... IS>
__device__ float dot4(const float *a, const float *b, size_t m, size_t n,
                      std::integer_sequence<int, IS...>)
{
    return total(a[IS * m] * b[IS * n]...);
}

template <typename... Arguments> __global__ void gemm(struct lab_gemm p, Arguments... arguments)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n, col = element % p.n;
    const float *a = p.a + row, *b = p.b + col;
    float sum = 0.0f * total(arguments...);
    int i = 0;
    for (; i + 4 <= p.k; i += 4, a += (size_t)4 * p.m, b += (size_t)4 * p.n)
        sum += dot4(a, b, p.m, p.n, std::make_integer_sequence<int, 4>());
    for (; i < p.k; ++i, a += p.m, b += p.n)
        sum += *a * *b;
    Ending ending;
    ending.alpha = p.alpha;
    ending.beta = p.beta;
    p.c[element] = p.beta == 0.0f ? p.alpha * sum : ending.finish(sum, p.c[element]);
}

template <typename... Arguments>
static cudaError_t enqueue(unsigned blocks, int threads, cudaStream_t stream,
                           Arguments &&...arguments)
{
    gemm<<<blocks, threads, 0, stream>>>(std::forward<Arguments>(arguments)...);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    constexpr int threads = largest(32, 256, 64);
    return enqueue(((size_t)p->m * p->n - 1) / threads + 1, threads, stream, *p, 1, 2.0f, 3u);
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
