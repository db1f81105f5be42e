// expect: race
// says: between the write and the setting of the flag, a __threadfence()
// says: between the look at the flag and this read, a __threadfence()
// Blocks hand sums to the next one in a chain. Sums and turns are relaxed, and in no order.
#include "families/gemm.h"

enum { THREADS = 64, PARTS = 3 };

static __device__ void pass(int *flag, int value)
{
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

static __device__ int look(const int *flag)
{
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
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
        while (look(&turns[group]) != (int)part)
            __nanosleep(50);
    __syncthreads();
    if (is_inside) {
        const float c = part > 0 || p.beta != 0.0f ? get(&p.c[e]) : 0.0f;
        set(&p.c[e], p.alpha * sum + (part == 0 && p.beta != 0.0f ? p.beta * c : c));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        pass(&turns[group], (int)part + 1);
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

LAB_EXPORT(gemm, {"relaxed_turns", launch, workspace});
