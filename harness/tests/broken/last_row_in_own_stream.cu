// expect: race
// run: step01 -m 401 -n 400 -k 1
// says: race on C[400][0]
// The last row is computed in a stream of its own, and again with all others: far into the memory
// of C.
#include "families/gemm.h"

static __global__ void rows(struct lab_gemm p, int first)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = first + (int)blockIdx.y;
    float sum = 0.0f;
    for (int k = 0; col < p.n && k < p.k; ++k)
        sum += p.a[(size_t)row * p.k + k] * p.b[(size_t)k * p.n + col];
    if (col < p.n) {
        float *const c = &p.c[(size_t)row * p.n + col];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c; // BUG
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(p->n + 127) / 128;
    static cudaStream_t side;
    if (!side)
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    rows<<<dim3(blocks, 1), 128, 0, side>>>(*p, p->m - 1);
    rows<<<dim3(blocks, (unsigned)p->m), 128, 0, stream>>>(*p, 0);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"last_row_in_own_stream", launch});
