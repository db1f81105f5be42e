// expect: ok
// The header that begins most C++ programs, and is not used.
#include <iostream>
#include <iomanip>
#include <fstream>
#include <sstream>
#include "families/gemm.h"

using namespace std;

__global__ void gemm(struct lab_gemm p)
{
    size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    int row = element / p.n;
    int col = element % p.n;
    float sum = 0;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    if (p.beta == 0)
        p.c[element] = p.alpha * sum;
    else
        p.c[element] = p.alpha * sum + p.beta * p.c[element];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int threads = 256;
    const size_t elements = (size_t)p->m * p->n;
    gemm<<<(unsigned)((elements + threads - 1) / threads), threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
