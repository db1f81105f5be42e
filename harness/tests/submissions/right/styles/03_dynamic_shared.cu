// expect: ok
// Dynamic shared memory of a class, asked for by cudaFuncSetAttribute with the template's deduced
// types.
#include "families/gemm.h"

template <int TILE> struct Tiles {
    float a[TILE][TILE], b[TILE][TILE];
};

template <int TILE>
__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c)
{
    extern __shared__ __align__(16) unsigned char memory[];
    Tiles<TILE> &tiles = *reinterpret_cast<Tiles<TILE> *>(memory);
    auto &a_tile = tiles.a;
    auto &b_tile = tiles.b;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        a_tile[ty][tx] = row < m && first_k + tx < k ? a[(size_t)row * k + first_k + tx] : 0.0f;
        b_tile[ty][tx] = first_k + ty < k && col < n ? b[(size_t)(first_k + ty) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] =
            alpha * sum + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + col]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    constexpr int TILE = 16;
    const size_t bytes = sizeof(Tiles<TILE>);
    cudaError_t error =
        cudaFuncSetAttribute(gemm<TILE>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess)
        return error;
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    gemm<TILE><<<grid, dim3(TILE, TILE), bytes, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                          p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"guarded", launch});
