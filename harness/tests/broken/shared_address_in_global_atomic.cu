// expect: out_of_bounds
// run: step01 -m 9 -n 70 -k 9
// says: shared address
// The sums of a column lie in shared memory, and are added to by an instruction of global memory.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float sums[2][64];
    const int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x % 64;
    if (threadIdx.x < 64)
        sums[0][threadIdx.x] = sums[1][threadIdx.x] = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x / 64; i < p.k && column < p.n; i += 2)
        sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + column];
    const size_t to = __cvta_generic_to_shared(&sums[1][threadIdx.x % 64]);
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(sum) : "memory"); // BUG
    __syncthreads();
    if (threadIdx.x >= 64 || column >= p.n)
        return;
    sum = sums[1][threadIdx.x];
    float *const c = &p.c[(size_t)row * p.n + column];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + 63) / 64, p->m), 128, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"shared_address_in_global_atomic", launch});
