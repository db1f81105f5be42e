// expect: race
// The block that comes last adds up the others' sums, but they were not fenced before the count.
#include "families/gemm.h"

enum { TILE = 16, PARTS = 4 };

static __global__ void clear(int count, unsigned *arrived)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        arrived[i] = 0;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float *c, float *part, unsigned *arrived)
{
    __shared__ bool is_last;
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    const bool is_inside = row < m && column < n;
    const size_t at = (size_t)row * n + column, stride = (size_t)m * n;
    float sum = 0.0f;

    for (int i = blockIdx.z; is_inside && i < k; i += PARTS)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    if (is_inside)
        part[blockIdx.z * stride + at] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        is_last = atomicAdd(&arrived[blockIdx.y * gridDim.x + blockIdx.x], 1) == PARTS - 1;
    __syncthreads();
    if (!is_last || !is_inside)
        return;
    sum = 0.0f;
    for (int i = 0; i < PARTS; i++)
        sum += part[i * stride + at]; // BUG
    c[at] = alpha * sum;
}

static dim3 grid_of(const struct lab_gemm *p)
{
    return dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE, PARTS);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (PARTS * (size_t)p->m * p->n + grid_of(p).x * grid_of(p).y) * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid = grid_of(p);
    float *const part = (float *)p->workspace;
    unsigned *const arrived = (unsigned *)(part + PARTS * (size_t)p->m * p->n);
    clear<<<(grid.x * grid.y + 255) / 256, 256, 0, stream>>>(grid.x * grid.y, arrived);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->c, part,
                                                arrived);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"last_block_without_fence", launch, workspace});
