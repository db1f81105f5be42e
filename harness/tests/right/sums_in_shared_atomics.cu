// run: step01
// Threads of a block add to its elements in shared memory by atomicAdd(), and the largest index is
// found by atomicMax(); both are cleared behind a barrier.
#include "families/gemm.h"

enum { SIDE = 8, THREADS = 128 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float sums[SIDE * SIDE];
    __shared__ int last;
    const int first_row = blockIdx.x * SIDE, first_column = blockIdx.y * SIDE;
    for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS)
        sums[e] = 0.0f;
    if (threadIdx.x == 0)
        last = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE * SIDE * p.k; i += THREADS) {
        const int e = i % (SIDE * SIDE), row = first_row + e / SIDE,
                  column = first_column + e % SIDE;
        if (row >= p.m || column >= p.n)
            continue;
        const int at = i / (SIDE * SIDE);
        atomicAdd(&sums[e], p.a[(size_t)row * p.k + at] * p.b[(size_t)at * p.n + column]);
        atomicMax(&last, e);
    }
    __syncthreads();
    for (int e = threadIdx.x; e <= last; e += THREADS) {
        const int row = first_row + e / SIDE, column = first_column + e % SIDE;
        if (row >= p.m || column >= p.n)
            continue;
        float *c = &p.c[(size_t)row * p.n + column];
        *c = p.alpha * sums[e] + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->m - 1) / SIDE + 1, (p->n - 1) / SIDE + 1), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shared_atomics", launch});
