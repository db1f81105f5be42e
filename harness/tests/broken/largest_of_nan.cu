// expect: wrong
// run: step01 -m 17 -n 19 -k 33 --values special
// says: must come through
// Keeps sums within the range of a float by fminf() and fmaxf(), which take the number of a number
// and a NaN.
#include "families/gemm.h"

#include <math.h>

static __global__ void gemm(const struct lab_gemm p)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= p.m * p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[e / p.n * p.k + i] * p.b[i * p.n + e % p.n];
    sum = fminf(fmaxf(sum, -INFINITY), INFINITY);
    p.c[e] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[e] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(p->m * p->n - 1) / 64 + 1, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"largest_of_nan", launch});
