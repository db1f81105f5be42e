// expect: race
// on a GPU: wrong
// run: step10 -n 17 -p 3 -q 5
// says: compute the same element
// Threads below the diagonal take the second half of the sum, and store it where it belongs, as do
// those above with the first half.
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
    const int k = blockIdx.x, l = threadIdx.x, each = p.p * p.q;
    const double half = 0.5 * product(p.a + l * each, p.b + k * each, each);
    if (l >= k)
        p.c[k * p.n + l] = l == k ? 2.0 * half : half;
    else
        p.c[l * p.n + k] = half; // BUG
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"both_halves_stored", launch});
