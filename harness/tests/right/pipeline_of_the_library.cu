// run: step01
// Tiles come by the copies of cuda_pipeline.h, two stages ahead; what is beyond an edge is stored.
#include "families/gemm.h"

#include <cuda_pipeline.h>

enum { TILE = 16, STAGES = 3 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float a[STAGES][TILE][TILE], b[STAGES][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    const int tiles = (p.k - 1) / TILE + 1;
    float sum = 0.0f;
    for (int t = 0; t < tiles + STAGES - 1; t++) {
        if (t < tiles) {
            const int s = t % STAGES;
            if (row < p.m && t * TILE + x < p.k)
                __pipeline_memcpy_async(&a[s][y][x], &p.a[(size_t)row * p.k + t * TILE + x], 4);
            else
                a[s][y][x] = 0.0f;
            if (t * TILE + y < p.k && column < p.n)
                __pipeline_memcpy_async(&b[s][y][x], &p.b[(size_t)(t * TILE + y) * p.n + column],
                                        4);
            else
                b[s][y][x] = 0.0f;
        }
        __pipeline_commit(); // an empty one behind the last tile
        if (t < STAGES - 1)
            continue;
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        const int s = (t - (STAGES - 1)) % STAGES;
        const int length = min(TILE, p.k - (t - (STAGES - 1)) * TILE);
        for (int i = 0; i < length; i++)
            sum += a[s][y][i] * b[s][i][x];
        __syncthreads();
    }
    if (row < p.m && column < p.n) {
        float *c = &p.c[(size_t)row * p.n + column];
        *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n - 1) / TILE + 1, (p->m - 1) / TILE + 1);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"pipeline", launch});
