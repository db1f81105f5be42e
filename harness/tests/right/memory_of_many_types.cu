// run: step01
// Dynamic shared memory holds floats, then sums in double precision at the same place, and bytes
// and half-words behind them that neighbouring threads write.
#include "families/gemm.h"

enum { THREADS = 64 };

static __global__ void gemm(const struct lab_gemm p)
{
    extern __shared__ __align__(16) unsigned char memory[];
    float *const row_of_a = (float *)memory;
    double *const sums = (double *)memory;
    unsigned char *const is_inside = memory + THREADS * sizeof(double);
    unsigned short *const columns = (unsigned short *)(is_inside + THREADS);
    const int row = blockIdx.x, t = threadIdx.x;
    is_inside[t] = blockIdx.y * THREADS + t < p.n;
    columns[t] = (unsigned short)t;
    double sum = 0.0;
    for (int first = 0; first < p.k; first += THREADS) {
        if (first + t < p.k)
            row_of_a[t] = p.a[(size_t)row * p.k + first + t];
        __syncthreads();
        for (int i = 0; is_inside[t] && i < THREADS && first + i < p.k; i++)
            sum += row_of_a[i] * p.b[(size_t)(first + i) * p.n + blockIdx.y * THREADS + t];
        __syncthreads();
    }
    sums[t] = sum;
    __syncthreads();
    const int other = columns[THREADS - 1 - t];
    if (is_inside[other]) {
        float *c = &p.c[(size_t)row * p.n + blockIdx.y * THREADS + other];
        *c = p.alpha * (float)sums[other] + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const size_t bytes = THREADS * (sizeof(double) + 1 + sizeof(unsigned short));
    gemm<<<dim3(p->m, (p->n - 1) / THREADS + 1), THREADS, bytes, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"many_types", launch});
