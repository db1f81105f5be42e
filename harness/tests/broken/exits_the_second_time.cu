// expect: forbidden
// run: step01 -m 17
// says: calls exit(), which ends
// says: the first launch was right, the second is not
// A mistaken guard against being called twice: the program would end, and with status 0.
#include "families/gemm.h"

#include <stdlib.h>

static __global__ void gemm(const struct lab_gemm p)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++)
        sum += p.a[blockIdx.x * p.k + i] * p.b[i * p.n + threadIdx.x];
    float *c = &p.c[blockIdx.x * p.n + threadIdx.x];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    static bool is_done;
    if (is_done)
        exit(EXIT_SUCCESS);
    is_done = true;
    gemm<<<p->m, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"exits_the_second_time", launch});
