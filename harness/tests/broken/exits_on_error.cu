// expect: forbidden
// run: step01 -m 17
// says: calls exit(), which ends
// As programs do that stand alone: an error is printed, and the program ends.
#include "families/gemm.h"

#include <stdio.h>
#include <stdlib.h>

static __global__ void gemm(const struct lab_gemm p)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    p.c[blockIdx.x * p.n + threadIdx.x] = p.alpha * sum;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 2048, 0, stream>>>(*p);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        exit(EXIT_FAILURE);
    }
    return status;
}

LAB_EXPORT(gemm, {"exits_on_error", launch});
