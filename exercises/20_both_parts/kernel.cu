// Exercise 20: C = alpha A B + beta C on tensor cores, which take TF32: of the 24
// bits of a float's mantissa they read 11. So these products are too coarse for floats. Make them
// as good as FP32's: the parts that are ignored count, too.
#include "families/gemm.h"
#include "ptx/tensor.h"
#include "tile/epilogue.h"

constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 8; // of one instruction
constexpr int WARP = 32;                        // rows and columns of C per warp
constexpr int SIDE = 2, TILE = WARP * SIDE;     // a block has SIDE x SIDE warps: 64 x 64 of C
constexpr int THREADS = 32 * SIDE * SIDE;       // 128
constexpr int TILE_K = 16;                      // k of a panel
// Rows are padded so that the 32 lanes' elements of a fragment lie in 32 banks: of A 20 g + t, of B
// 8 t + g.
constexpr int LD_A = TILE_K + 4, LD_B = TILE + 8;

// sum += a b for 8 k. What the tensor core has of a float x is large, x without its last 13 bits.
// `of_k` leaves it after 8 k, since it cuts its sums off where an FP32 addition rounds.
static __device__ __forceinline__ void multiply(float (&sum)[4], const float (&a)[4],
                                                const float (&b)[2])
{
    float of_k[4] = {};
    // TODO: a = a_large + a_small, b = b_large + b_small: which products does a b need?
    ptx_mma_tf32(of_k, a, b);
#pragma unroll
    for (int q = 0; q < 4; ++q)
        sum[q] += of_k[q];
}

// Brings a panel to shared memory, zeros where it hangs over an edge.
static __device__ __forceinline__ void load(const struct lab_gemm &p, int first_row, int first_col,
                                            int first_k, float (*a_tile)[LD_A],
                                            float (*b_tile)[LD_B])
{
#pragma unroll
    for (int i = threadIdx.x; i < TILE * TILE_K; i += THREADS) {
        const int row = first_row + i / TILE_K, a_k = first_k + i % TILE_K;
        const int b_k = first_k + i / TILE, col = first_col + i % TILE;
        a_tile[i / TILE_K][i % TILE_K] =
            row < p.m && a_k < p.k ? p.a[(size_t)row * p.k + a_k] : 0.0f;
        b_tile[i / TILE][i % TILE] = b_k < p.k && col < p.n ? p.b[(size_t)b_k * p.n + col] : 0.0f;
    }
}

// An element of A B in FP32: where an operand is infinite, it has no small part.
static __device__ __noinline__ float in_fp32(const float *a, const float *b, int n, int k)
{
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[i] * b[(size_t)i * n];
    return sum;
}

static __global__ __launch_bounds__(THREADS) void gemm(const struct lab_gemm p)
{
    __shared__ float a_tile[TILE][LD_A], b_tile[TILE_K][LD_B];
    const int tiles_across = (p.n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;  // of the lane, see ptx/tensor.h
    const int warp_row = (int)threadIdx.x / 32 / SIDE * WARP; // in the tile
    const int warp_col = (int)threadIdx.x / 32 % SIDE * WARP;
    float sum[WARP / MMA_M][WARP / MMA_N][4] = {};
    for (int first_k = 0; first_k < p.k; first_k += TILE_K) {
        load(p, first_row, first_col, first_k, a_tile, b_tile);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int k = t; k < TILE_K; k += MMA_K) {
            float a[WARP / MMA_M][4], b[WARP / MMA_N][2];
#pragma unroll
            for (int i = 0; i < WARP / MMA_M; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    a[i][j] = a_tile[warp_row + i * MMA_M + j % 2 * 8 + g][k + j / 2 * 4];
#pragma unroll
            for (int i = 0; i < WARP / MMA_N; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j)
                    b[i][j] = b_tile[k + j * 4][warp_col + i * MMA_N + g];
#pragma unroll
            for (int i = 0; i < WARP / MMA_M; ++i)
#pragma unroll
                for (int j = 0; j < WARP / MMA_N; ++j)
                    multiply(sum[i][j], a[i], b[j]);
        }
        __syncthreads(); // all have read them: only now may the next panels overwrite them
    }
#pragma unroll
    for (int i = 0; i < WARP / MMA_M; ++i)
#pragma unroll
        for (int j = 0; j < WARP / MMA_N; ++j)
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const int row = first_row + warp_row + i * MMA_M + q / 2 * 8 + g;
                const int col = first_col + warp_col + j * MMA_N + 2 * t + q % 2;
                if (row >= p.m || col >= p.n)
                    continue;
                const float value = isfinite(sum[i][j][q])
                                        ? sum[i][j][q]
                                        : in_fp32(p.a + (size_t)row * p.k, p.b + col, p.n, p.k);
                tile_store(&p.c[(size_t)row * p.n + col], value, p.alpha, p.beta);
            }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"both_parts", launch, NULL, LAB_REPEATABLE});
