// expect: uninitialized
// run: step01 -m 65 -n 65 -k 33
// Elements behind the last of k are no zeros but whatever the variable held.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float part[64];
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f, element;
    for (int first = 0; first < p.k; first += 64) {
        if (first + threadIdx.x < p.k)
            element = p.a[(size_t)row * p.k + first + threadIdx.x];
        __syncthreads();
        part[threadIdx.x] = element;
        __syncthreads();
        for (int i = 0; i < 64 && column < p.n; i++)
            sum += part[i] * // BUG
                   p.b[(size_t)(first + i < p.k ? first + i : 0) * p.n + column];
    }
    if (column < p.n)
        p.c[(size_t)row * p.n + column] = p.alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"undefined_elements", launch});
