// expect: race
// says: the fence after the look at the flag is for the block alone
// Both fences are there, but that behind the look at the flag is for the threads of one block.
#include "families/gemm.h"

enum { TILE = 16, PARTS = 2 };

static __global__ void clear(int count, int *ready)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        ready[i] = 0;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c, volatile int *ready)
{
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    const bool is_first = blockIdx.z == 0, is_thread = threadIdx.x == 0 && threadIdx.y == 0;
    volatile int *const flag = &ready[blockIdx.y * gridDim.x + blockIdx.x];
    float sum = 0.0f;

    if (row < m && column < n) {
        for (int i = blockIdx.z; i < k; i += PARTS)
            sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
        if (is_first)
            c[(size_t)row * n + column] = alpha * sum;
    }
    __threadfence();
    __syncthreads();
    if (is_first && is_thread)
        *flag = 1;
    while (!is_first && is_thread && *flag == 0)
        ;
    __threadfence_block();
    __syncthreads();
    if (!is_first && row < m && column < n)
        c[(size_t)row * n + column] += alpha * sum; // BUG
}

static dim3 grid_of(const struct lab_gemm *p)
{
    return dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE, PARTS);
}

static size_t workspace(const struct lab_gemm *p)
{
    return grid_of(p).x * grid_of(p).y * sizeof(int);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid = grid_of(p);
    int *const ready = (int *)p->workspace;
    clear<<<(grid.x * grid.y + 255) / 256, 256, 0, stream>>>(grid.x * grid.y, ready);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c,
                                                ready);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fence_for_the_reading_block", launch, workspace});
