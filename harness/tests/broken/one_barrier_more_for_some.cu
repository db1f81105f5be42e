// expect: race
// on a GPU: wrong
// run: step01 -m 33 -n 35 -k 70
// says: let each other go on
// says: the same ones as often
// The warps that load A have a barrier of their own between address and load.
#include "families/gemm.h"

enum { T = 16 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float as[T][T], bs[T][T];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const int row = (int)blockIdx.y * T + y, column = (int)blockIdx.x * T + x;
    float sum = 0.0f;
    if (y < T / 2)
        __syncthreads();
    for (int i = 0; i < p.k; i += T) {
        as[y][x] = row < p.m && i + x < p.k ? p.a[(size_t)row * p.k + i + x] : 0.0f;
        bs[y][x] = column < p.n && i + y < p.k ? p.b[(size_t)(i + y) * p.n + column] : 0.0f;
        __syncthreads();
        for (int l = 0; l < T; ++l)
            sum += as[y][l] * bs[l][x]; // BUG
        __syncthreads();
    }
    if (row < p.m && column < p.n) {
        float *const c = &p.c[(size_t)row * p.n + column];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / T + 1, (p->m - 1) / T + 1), dim3(T, T), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"one_barrier_more_for_some", launch});
