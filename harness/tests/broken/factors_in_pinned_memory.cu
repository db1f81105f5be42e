// expect: race
// run: step01 -m 17
// says: cudaMemcpyToSymbolAsync() 8 bytes of pinned memory
// no line: the host is at fault
// Alpha and beta go to constant memory from pinned memory, which is wiped as soon as the copy is
// enqueued.
// compiled alone: it has code that runs when it is loaded
#include "families/gemm.h"

__constant__ float factors[2];

static float *pinned;

__attribute__((constructor)) static void begin()
{
    cudaMallocHost((void **)&pinned, sizeof factors);
}

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = (int)blockIdx.x;
    for (int col = (int)threadIdx.x; col < p.n; col += (int)blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < p.k; ++i)
            sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + col];
        float *const c = &p.c[(size_t)row * p.n + col];
        *c = factors[1] == 0.0f ? factors[0] * sum : factors[0] * sum + factors[1] * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    pinned[0] = p->alpha;
    pinned[1] = p->beta;
    cudaMemcpyToSymbolAsync(factors, pinned, sizeof factors, 0, cudaMemcpyHostToDevice, stream);
    gemm<<<p->m, 64, 0, stream>>>(*p);
    pinned[0] = pinned[1] = 0.0f;
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"pinned_factors", launch});
