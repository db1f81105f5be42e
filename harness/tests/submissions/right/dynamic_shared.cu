// expect: ok
// Tiles in dynamic shared memory, more than is allowed without asking. (std::min without an include
// is no fault: nvcc brings it.)
#include "families/gemm.h"

constexpr int TILE = 32;
constexpr int PANEL = 256; // 2 * 32 * 256 floats: 64 KB

static __global__ void gemm(const struct lab_gemm p)
{
    extern __shared__ float memory[];
    float *a_tile = memory, *b_tile = memory + TILE * PANEL;
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < p.k; first += PANEL) {
        const int length = min(PANEL, p.k - first);
        for (int i = threadIdx.x; i < length; i += TILE)
            a_tile[threadIdx.y * PANEL + i] = row < p.m ? p.a[(size_t)row * p.k + first + i] : 0.0f;
        for (int i = threadIdx.y; i < length; i += TILE)
            b_tile[i * TILE + threadIdx.x] =
                col < p.n ? p.b[(size_t)(first + i) * p.n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < length; ++i)
            sum += a_tile[threadIdx.y * PANEL + i] * b_tile[i * TILE + threadIdx.x];
        __syncthreads();
    }
    if (row < p.m && col < p.n) {
        float *c = &p.c[(size_t)row * p.n + col];
        *c = p.alpha * sum + (p.beta != 0.0f ? p.beta * *c : 0.0f);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int bytes =
        std::min<size_t>(2 * TILE * PANEL * sizeof(float), std::numeric_limits<int>::max());
    static bool asked = false; // once is enough
    if (!asked)
        cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    asked = true;
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), dim3(TILE, TILE), bytes,
           stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"dynamic", launch});
