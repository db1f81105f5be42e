// expect: wrong
// says: right in two launches, and wrong in a third with other factors (--alpha -1.3
// Keeps the first result in a variable of the device, and gives it out again.
#include "families/gemm.h"

constexpr int MOST = 1 << 16;
static __device__ float kept[MOST];
static __device__ bool is_kept;

static __global__ void compute(const struct lab_gemm p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= p.m * p.n || is_kept)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[e / p.n * p.k + i] * p.b[i * p.n + e % p.n];
    kept[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static __global__ void give_out(const struct lab_gemm p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < p.m * p.n)
        p.c[e] = kept[e];
    is_kept = true;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(p->m * p->n - 1) / 256 + 1;
    compute<<<blocks, 256, 0, stream>>>(*p);
    give_out<<<blocks, 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"kept", launch});
