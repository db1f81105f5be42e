// expect: race
// says: between the write and the setting of the flag, a __threadfence()
// Two blocks share each element's sum, and add to C in turn under a lock that they give back. All
// is volatile or atomic, but no fence keeps it between the two ends of the lock.
#include "families/gemm.h"

enum { THREADS = 64 };

static __global__ void gemm(const struct lab_gemm p, int *lock, int *turns)
{
    const size_t e = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const bool is_inside = e < (size_t)p.m * p.n;
    float sum = 0.0f;
    for (int i = blockIdx.y; is_inside && i < p.k; i += 2)
        sum += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
    while (threadIdx.x == 0 && atomicCAS(&lock[blockIdx.x], 0, 1) != 0)
        ;
    __syncthreads();
    volatile float *const c = p.c;
    if (is_inside) {
        const bool is_first = *(volatile int *)&turns[blockIdx.x] == 0; // BUG
        const float old = is_first ? (p.beta != 0.0f ? p.beta * c[e] : 0.0f) : c[e];
        c[e] = old + p.alpha * sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *(volatile int *)&turns[blockIdx.x] = 1;
        atomicExch(&lock[blockIdx.x], 0);
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
    gemm<<<dim3(blocks, 2), THREADS, 0, stream>>>(*p, lock, lock + blocks);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"lock_without_fences", launch, workspace});
