// run: step01
// One warp loads tiles, four compute; named barriers hand two buffers to and fro.
#include "families/gemm.h"

enum { TILE = 16, BUFFERS = 2, COMPUTE = 128, THREADS = COMPUTE + 32 };

static __device__ void wait(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"((int)THREADS) : "memory");
}

static __device__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"((int)THREADS) : "memory");
}

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float a[BUFFERS][TILE][TILE], b[BUFFERS][TILE][TILE];
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    const int tiles = (p.k - 1) / TILE + 1, lane = threadIdx.x % 32;
    if (threadIdx.x >= COMPUTE) {
        for (int t = 0; t < tiles; t++) {
            const int buffer = t % BUFFERS;
            if (t >= BUFFERS)
                wait(1 + BUFFERS + buffer); // is free
            for (int e = lane; e < TILE * TILE; e += 32) {
                const int y = e / TILE, x = e % TILE;
                a[buffer][y][x] = first_row + y < p.m && t * TILE + x < p.k
                                      ? p.a[(size_t)(first_row + y) * p.k + t * TILE + x]
                                      : 0.0f;
                b[buffer][y][x] = t * TILE + y < p.k && first_column + x < p.n
                                      ? p.b[(size_t)(t * TILE + y) * p.n + first_column + x]
                                      : 0.0f;
            }
            arrive(1 + buffer); // is full
        }
        return;
    }
    const int y = threadIdx.x / TILE, x = threadIdx.x % TILE;
    float sum[2] = {0.0f, 0.0f};
    for (int t = 0; t < tiles; t++) {
        const int buffer = t % BUFFERS;
        wait(1 + buffer);
        for (int i = 0; i < min(TILE, p.k - t * TILE); i++)
            for (int half = 0; half < 2; half++)
                sum[half] += a[buffer][y + half * TILE / 2][i] * b[buffer][i][x];
        if (t + BUFFERS < tiles)
            arrive(1 + BUFFERS + buffer);
    }
    for (int half = 0; half < 2; half++) {
        const int row = first_row + y + half * TILE / 2, column = first_column + x;
        if (row < p.m && column < p.n) {
            float *c = &p.c[(size_t)row * p.n + column];
            *c = p.alpha * sum[half] + (p.beta != 0.0f ? p.beta * *c : 0.0f);
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n - 1) / TILE + 1, (p->m - 1) / TILE + 1), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"named_barriers", launch});
