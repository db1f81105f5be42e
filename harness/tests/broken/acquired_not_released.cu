// expect: race
// on a GPU: ok
// says: between the write and the setting of the flag, a __threadfence()
// says not: between the look at the flag
// Blocks hand sums to the next one in a chain. Who waits for the turn acquires it, but nobody has
// released it: it is added to by red.relaxed.
#include "families/gemm.h"

enum { THREADS = 64, PARTS = 3 };

static __device__ void add(int *flag, int value)
{
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

static __device__ int acquire(const int *flag)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

static __device__ void set(float *place, float value)
{
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(place), "f"(value) : "memory");
}

static __device__ float get(const float *place)
{
    float it;
    asm volatile("ld.relaxed.gpu.f32 %0, [%1];" : "=f"(it) : "l"(place) : "memory"); // BUG
    return it;
}

static __global__ void gemm(const struct lab_gemm p, int *turns)
{
    const unsigned part = blockIdx.x % PARTS, group = blockIdx.x / PARTS;
    const size_t e = (size_t)group * THREADS + threadIdx.x;
    const bool is_inside = e < (size_t)p.m * p.n;
    float sum = 0.0f;
    for (int i = part; is_inside && i < p.k; i += PARTS)
        sum += p.a[e / p.n * p.k + i] * p.b[(size_t)i * p.n + e % p.n];
    if (threadIdx.x == 0)
        while (acquire(&turns[group]) != (int)part)
            __nanosleep(50);
    __syncthreads();
    if (is_inside) {
        const float c = part > 0 || p.beta != 0.0f ? get(&p.c[e]) : 0.0f;
        set(&p.c[e], p.alpha * sum + (part == 0 && p.beta != 0.0f ? p.beta * c : c));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        add(&turns[group], 1);
}

static unsigned groups_of(const struct lab_gemm *p)
{
    return (unsigned)(((size_t)p->m * p->n - 1) / THREADS + 1);
}

static size_t workspace(const struct lab_gemm *p)
{
    return groups_of(p) * sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    gemm<<<groups_of(p) * PARTS, THREADS, 0, stream>>>(*p, (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"acquired_not_released", launch, workspace});
