// expect: forbidden
// A stream of C++ is more than printing: its library runs code when it is loaded.
#include "families/gemm.h"

#include <iostream>

__host__ __device__ void show(int n)
{
    printf("%d\n", n);
}

static __global__ void gemm(struct lab_gemm p)
{
    show(p.n);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    std::cout << p->n << std::endl;
    gemm<<<1, 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
