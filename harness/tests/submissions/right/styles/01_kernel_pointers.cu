// expect: ok
// Pointers to kernels and to device functions, templates of types, numbers and functions.
#include "families/gemm.h"

typedef float operation(float, float);

__device__ float times(float x, float y)
{
    return x * y;
}

__device__ operation *const chosen = times;

template <typename T, int THREADS, bool WITH_BETA>
__global__ void gemm(int m, int n, int k, T alpha, const T *a, const T *b, T beta, T *c)
{
    const size_t element = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (element >= (size_t)m * n)
        return;
    const int row = element / n, col = element % n;
    T sum = 0;
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)i * m + row] * b[(size_t)i * n + col];
    if constexpr (WITH_BETA)
        c[element] = chosen(alpha, sum) + beta * c[element];
    else
        c[element] = times(alpha, sum);
}

using kernel = void (*)(int, int, int, float, const float *, const float *, float, float *);

template <int THREADS> static kernel choose(bool with_beta)
{
    if (with_beta)
        return gemm<float, THREADS, true>;
    return gemm<float, THREADS, false>;
}

template <int THREADS> cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    auto run = choose<THREADS>(p->beta != 0.0f);
    const unsigned blocks = ((size_t)p->m * p->n - 1) / THREADS + 1;
    run<<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch<256>});
