// expect: race
// on a GPU: ok
// run: step01 -m 33 -n 70 -k 9
// says: constant memory
// Each block leaves its factors in constant memory, by way of the address, and reads them there.
#include "families/gemm.h"

__constant__ float factors[2];

static __global__ void gemm(const struct lab_gemm p, float *address)
{
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
    if (threadIdx.x == 0) {
        address[0] = p.alpha; // BUG
        address[1] = p.beta;
    }
    __syncthreads();
    if (column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = factors[1] == 0.0f ? factors[0] * sum : factors[0] * sum + factors[1] * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    void *address;
    cudaGetSymbolAddress(&address, factors);
    gemm<<<dim3((p->n + 63) / 64, p->m), 64, 0, stream>>>(*p, (float *)address);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"constant_written_by_kernel", launch});
