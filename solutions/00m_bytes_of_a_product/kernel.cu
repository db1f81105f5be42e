// Exercise 00m: what bounds a product? A block computes a tile of TILE x TILE elements of C from
// tiles in shared memory, as in step 03. A multiply-add counts as 2 operations; from global memory
// each block reads a row of tiles of A and a column of tiles of B.
//
// Find the TILE, a power of two from 4 to 32, with which the kernel does 2 operations for each byte
// that it reads: a memory of 4 TB/s then bounds it to 8 TFLOP/s, however fast it multiplies.
#include "families/gemm.h"

// BEGIN SOLUTION: operations and bytes of a block, for k elements of the inner length
constexpr int TILE = 8;
//| constexpr int TILE = 4;
// END SOLUTION

static __global__ __launch_bounds__(TILE *TILE) void gemm(int m, int n, int k, float alpha,
                                                          const float *__restrict__ a,
                                                          const float *__restrict__ b, float beta,
                                                          float *__restrict__ c)
{
    __shared__ float a_tile[TILE][TILE]; // (rows of C, k)
    __shared__ float b_tile[TILE][TILE]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int tx = (int)threadIdx.x;
    const int ty = (int)threadIdx.y;
    const int row = (int)blockIdx.x / tiles_across * TILE + ty;
    const int col = (int)blockIdx.x % tiles_across * TILE + tx;
    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        a_tile[ty][tx] = row < m && first_k + tx < k ? a[(size_t)row * k + first_k + tx] : 0.0f;
        b_tile[ty][tx] = first_k + ty < k && col < n ? b[(size_t)(first_k + ty) * n + col] : 0.0f;
        __syncthreads(); // all threads have written the tiles
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads(); // all have read the tiles
    }
    if (row < m && col < n) {
        float *const at = &c[(size_t)row * n + col];
        *at = beta == 0.0f ? alpha * sum : alpha * sum + beta * *at;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                  p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"two_a_byte", launch});
