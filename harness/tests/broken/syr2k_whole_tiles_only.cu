// expect: unwritten
// run: step10 -n 35 -p 3 -q 5
// says: only at the last
// As many tiles of 16 as fit into n, and no more.
#include "families/syr2k.h"

static __device__ double product(const double *x, const double *y, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.y * 16 + threadIdx.y, l = blockIdx.x * 16 + threadIdx.x;
    const int each = p.p * p.q;
    if (l >= k)
        p.c[k * p.n + l] = 0.5 * (product(p.a + l * each, p.b + k * each, each) +
                                  product(p.a + k * each, p.b + l * each, each));
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n / 16, p->n / 16), dim3(16, 16), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"whole_tiles_only", launch});
