// expect: forbidden
// run: step10 -n 9
// says: which prints
// Says on standard error how long the sums are.
#include "families/syr2k.h"

#include <stdio.h>

static __global__ void syr2k(const struct lab_syr2k p, int length)
{
    const int k = (int)blockIdx.x;
    for (int l = k + (int)threadIdx.x; l < p.n; l += (int)blockDim.x) {
        double sum = 0.0;
        for (int i = 0; i < length; ++i)
            sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
                   p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
        p.c[(size_t)k * p.n + l] = 0.5 * sum;
    }
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    fprintf(stderr, "sums of %d\n", p->p * p->q);
    syr2k<<<p->n, 64, 0, stream>>>(*p, p->p * p->q);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"prints", launch});
