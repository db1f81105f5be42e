// expect: race
// on a GPU: wrong
// run: step01 -m 33 -n 35 -k 37
// says: changes get lost: add with atomicAdd()
// Each half of k has a block of its own, and both add to C by +=.
#include "families/gemm.h"

static __global__ void scale(const struct lab_gemm p)
{
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) {
        float *const c = &p.c[(size_t)blockIdx.x * p.n + j];
        *c = p.beta == 0.0f ? 0.0f : p.beta * *c;
    }
}

static __global__ void add(const struct lab_gemm p)
{
    const int row = (int)blockIdx.x, half = (p.k + 1) / 2, first = (int)blockIdx.y * half;
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = first; i < p.k && i < first + half; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + j];
        p.c[(size_t)row * p.n + j] += p.alpha * sum; // BUG
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    scale<<<p->m, 64, 0, stream>>>(*p);
    add<<<dim3(p->m, 2), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"row_added_by_two_blocks", launch});
