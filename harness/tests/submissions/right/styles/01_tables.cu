// expect: ok
// constexpr functions and tables, __constant__ and __device__ variables with and without
// initialisers, static arrays.
#include "families/gemm.h"

constexpr int square(int x)
{
    return x * x;
}

constexpr int threads = square(16);
constexpr float weights[] = {0.0f, 1.0f};
constexpr float nothing = weights[0], whole = weights[1];

__constant__ float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
__constant__ struct {
    int shift;
    double factor;
} settings = {0, 1.0};
static __constant__ int zeros[2];
__device__ float halves[2] = {0.5f, 0.5f};
__device__ unsigned counter;
static __device__ const char text[] = "transposed";
__device__ const float *const pointer = nullptr;

__global__ void gemm(struct lab_gemm p)
{
    static const int offsets[2] = {0, 0};
    constexpr float once[2] = {1.0f, 0.0f};
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n + offsets[threadIdx.x % 2], col = element % p.n + zeros[0];
    float sum = nothing + once[1];
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    sum *= ones[settings.shift] * (halves[0] + halves[1]) * (float)settings.factor;
    if (text[0] != 't' || pointer)
        atomicAdd(&counter, 1u);
    p.c[element] = p.alpha * sum * whole;
    if (p.beta != 0.0f)
        p.c[element] = 0.0f;
}

__global__ void gemm_with_beta(struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * threads + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n, col = element % p.n;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    p.c[element] = p.alpha * sum * ones[1] + p.beta * p.c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static const char *const names[] = {"without", "with"};
    static void (*const kernels[])(struct lab_gemm) = {gemm, gemm_with_beta};
    const unsigned blocks = ((size_t)p->m * p->n - 1) / threads + 1;
    kernels[p->beta != 0.0f && names[1][0] == 'w']<<<blocks, threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
