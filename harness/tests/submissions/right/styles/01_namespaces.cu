// expect: ok
// Named, nested, inline and unnamed namespaces, with kernels in them, and using directives.
#include "families/gemm.h"

namespace course
{
namespace detail
{
__device__ float scaled(float alpha, float sum)
{
    return alpha * sum;
}
} // namespace detail

inline namespace v1
{
__device__ float blend(float alpha, float sum, float beta, float c)
{
    using detail::scaled;
    return scaled(alpha, sum) + beta * c;
}
} // namespace v1
} // namespace course

namespace
{
constexpr int threads = 128;

__device__ int rows_done;

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c)
{
    using namespace course;
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    if (element >= (size_t)m * n)
        return;
    const int row = element / n, col = element % n;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)i * m + row] * b[(size_t)i * n + col];
    float &to = c[(size_t)row * n + col];
    to = beta == 0.0f ? detail::scaled(alpha, sum) : blend(alpha, sum, beta, to);
    if (m < 0)
        rows_done++;
}

cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = ((size_t)p->m * p->n - 1) / threads + 1;
    gemm<<<blocks, threads, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}
} // namespace

LAB_EXPORT(gemm_tn, {"transposed", launch});
