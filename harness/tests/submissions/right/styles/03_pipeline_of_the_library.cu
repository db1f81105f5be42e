// expect: ok
// Tiles come through cuda::pipeline and cuda::memcpy_async.
#include <cuda/pipeline>
#include "families/gemm.h"

constexpr int TILE = 16;

using pipeline = cuda::pipeline<cuda::thread_scope_thread>;

static __device__ void fetch(pipeline &pipe, float *to, const float *from, bool inside)
{
    if (inside)
        cuda::memcpy_async(to, from, cuda::aligned_size_t<4>(sizeof(float)), pipe);
    else
        *to = 0.0f;
}

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    pipeline pipe = cuda::make_pipeline();
    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        pipe.producer_acquire();
        fetch(pipe, &a_tile[ty][tx], &a[(size_t)row * k + first_k + tx],
              row < m && first_k + tx < k);
        fetch(pipe, &b_tile[ty][tx], &b[(size_t)(first_k + ty) * n + col],
              first_k + ty < k && col < n);
        pipe.producer_commit();
        pipe.consumer_wait();
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
        pipe.consumer_release();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] =
            alpha * sum + (beta == 0.0f ? 0.0f : beta * c[(size_t)row * n + col]);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    gemm<<<grid, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"guarded", launch});
