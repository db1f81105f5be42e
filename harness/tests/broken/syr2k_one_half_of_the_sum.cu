// expect: wrong
// run: step10 -n 33 -p 3 -q 5
// says: all but the diagonal
// says not: alpha
// Takes the mirrored half for the same as the other one.
#include "families/syr2k.h"

static __global__ void syr2k(struct lab_syr2k p)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const int length = p.p * p.q;
    if (k > l || l >= p.n)
        return;
    double sum = 0.0;
    for (int i = 0; i < length; ++i)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i];
    p.c[(size_t)k * p.n + l] = sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const dim3 grid((p->n - 1) / 64 + 1, p->n);
    syr2k<<<grid, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"one_half_of_the_sum", launch, NULL, LAB_REPEATABLE});
