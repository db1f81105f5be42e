// run: step10
// A block takes memory for its row of sums from the device's heap and gives it back; assertions
// hold, and what is printed is printed of no problem there is.
#include "families/syr2k.h"

#include <assert.h>
#include <stdio.h>

static __global__ void syr2k(const struct lab_syr2k p)
{
    __shared__ double *sums;
    const int k = blockIdx.x, each = p.p * p.q;
    if (threadIdx.x == 0)
        sums = (double *)malloc((size_t)(p.n - k) * sizeof(double));
    __syncthreads();
    assert(sums && k < p.n);
    for (int l = k + threadIdx.x; l < p.n; l += blockDim.x) {
        double sum = 0.0;
        for (int i = 0; i < each; i++)
            sum += p.a[(size_t)l * each + i] * p.b[(size_t)k * each + i] +
                   p.a[(size_t)k * each + i] * p.b[(size_t)l * each + i];
        sums[l - k] = sum;
    }
    if (each < 0)
        printf("no elements in row %d\n", k);
    for (int l = k + threadIdx.x; l < p.n; l += blockDim.x)
        p.c[(size_t)k * p.n + l] = 0.5 * sums[l - k];
    __syncthreads();
    if (threadIdx.x == 0)
        free(sums);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"heap", launch});
