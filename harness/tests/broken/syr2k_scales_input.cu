// expect: input_modified
// run: step10 -n 33 -p 3 -q 5
// Halves A in place to save a multiplication later.
#include "families/syr2k.h"

static __global__ void halve(int count, double *a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] *= 0.5; // BUG
}

static __global__ void syr2k(struct lab_syr2k p)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const int length = p.p * p.q;
    if (l >= p.n || l < k)
        return;
    double sum = 0.0;
    for (int i = 0; i < length; ++i)
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    p.c[(size_t)k * p.n + l] = sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int count = p->n * p->p * p->q;
    halve<<<(count - 1) / 64 + 1, 64, 0, stream>>>(count, (double *)p->a);
    syr2k<<<dim3((p->n - 1) / 64 + 1, p->n), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"scales_input", launch, NULL, LAB_REPEATABLE});
