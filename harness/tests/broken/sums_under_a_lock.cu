// expect: wrong
// says: deterministic
// Promises the same bits, and sums in the order in which blocks come to a lock.
#include "families/gemm.h"

enum { THREADS = 64, PARTS = 5 };

static __global__ void gemm(const struct lab_gemm p, int *lock, int *turns)
{
    const size_t e = (size_t)blockIdx.y * THREADS + threadIdx.x;
    const bool is_inside = e < (size_t)p.m * p.n;
    float sum = 0.0f;
    for (int i = blockIdx.x; is_inside && i < p.k; i += PARTS)
        sum += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[blockIdx.y], 0, 1) != 0)
            ;
        __threadfence();
    }
    __syncthreads();
    volatile float *const c = p.c;
    if (is_inside) {
        const bool is_first = *(volatile int *)&turns[blockIdx.y] == 0;
        const float old = is_first ? (p.beta != 0.0f ? p.beta * c[e] : 0.0f) : c[e];
        c[e] = old + p.alpha * sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        *(volatile int *)&turns[blockIdx.y] = 1;
        __threadfence();
        atomicExch(&lock[blockIdx.y], 0);
    }
}

static unsigned blocks_of(const struct lab_gemm *p)
{
    return (unsigned)(((size_t)p->m * p->n - 1) / THREADS + 1);
}

static size_t workspace(const struct lab_gemm *p)
{
    return 2 * blocks_of(p) * sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const unsigned blocks = blocks_of(p);
    int *lock = (int *)p->workspace;
    cudaMemsetAsync(lock, 0, workspace(p), stream);
    gemm<<<dim3(PARTS, blocks), THREADS, 0, stream>>>(*p, lock, lock + blocks);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"lock", launch, workspace, LAB_REPEATABLE});
