// expect: ok
// The device's own standard library: arrays, spans, pairs, numeric limits, type traits.
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include "families/gemm.h"

constexpr int TILE = 16;

using cuda::std::array;

struct Tiles {
    array<array<float, TILE>, TILE> a, b;
};

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c)
{
    static_assert(cuda::std::is_same_v<decltype(alpha * beta), float>);
    __shared__ Tiles tiles;
    auto &a_tile = tiles.a;
    auto &b_tile = tiles.b;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const auto [row, col] =
        cuda::std::make_pair((int)blockIdx.y * TILE + ty, (int)blockIdx.x * TILE + tx);

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
    if (m < cuda::std::numeric_limits<int>::min() + 1)
        c[0] = cuda::std::sqrt(sum);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"guarded", launch});
