// expect: race
// run: step00c -n 20001
// says: so that changes get lost
// Each block adds its sum to the result by a load that acquires and a store that releases.
#include "families/reduction.h"

enum { THREADS = 128, BLOCKS = 24 };

static __device__ float load_acquire(const float *x)
{
    float value;
    asm volatile("ld.acquire.gpu.f32 %0, [%1];" : "=f"(value) : "l"(x) : "memory");
    return value;
}

static __device__ void store_release(float *x, float value)
{
    asm volatile("st.release.gpu.f32 [%0], %1;" ::"l"(x), "f"(value) : "memory"); // BUG
}

static __global__ void add(int n, const float *x, float *sum)
{
    __shared__ float part[THREADS];
    float mine = 0.0f;
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += THREADS * BLOCKS)
        mine += x[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 1; i < THREADS; i++)
        mine += part[i];
    store_release(sum, load_acquire(sum) + mine);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    add<<<BLOCKS, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"acquired_sum", launch});
