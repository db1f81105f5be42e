// expect: out_of_bounds
// on a GPU: ok
// run: step01 -m 1 -n 8 -k 5
// says: from column 4 of 5 on a row has 1 of a vector's 4 elements left
// A row of A is read four elements at a time, whatever is left of it.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    const int row = (int)blockIdx.x, col = (int)threadIdx.x;
    if (col >= p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i += 4) {
        const float4 a = *(const float4 *)&p.a[(size_t)row * p.k + i]; // BUG
        sum += a.x * p.b[(size_t)i * p.n + col];
        if (i + 1 < p.k)
            sum += a.y * p.b[(size_t)(i + 1) * p.n + col];
        if (i + 2 < p.k)
            sum += a.z * p.b[(size_t)(i + 2) * p.n + col];
        if (i + 3 < p.k)
            sum += a.w * p.b[(size_t)(i + 3) * p.n + col];
    }
    float *const c = &p.c[(size_t)row * p.n + col];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"odd_rows", launch});
