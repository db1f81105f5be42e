// expect: race
// The second barrier is missing. (std::max without an include is no fault: nvcc brings it.)
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int first = 0; first < p.k; first += 16) {
        a_tile[y][x] = row < p.m && first + x < p.k ? p.a[(size_t)row * p.k + first + x] : 0.0f;
        b_tile[y][x] = first + y < p.k && col < p.n ? p.b[(size_t)(first + y) * p.n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
    }
    if (row < p.m && col < p.n) {
        float *c = &p.c[(size_t)row * p.n + col];
        *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int columns = std::max((p->n + 15) / 16, 1), rows = std::max((p->m + 15) / 16, 1);
    gemm<<<dim3(columns, rows), dim3(16, 16), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"submission", launch});
