// Exercise 19: C = alpha A B' + beta C on tensor cores, right as it is. Its fragments come by
// ldmatrix from tiles whose rows are 64 bytes long, and take four times as many wavefronts as they
// need: the rows of a piece meet in the banks. Rows may not be padded. Swizzle the tiles.
#include "families/gemm.h"
#include "ptx/shared.h"
#include "ptx/tensor.h"
#include "tile/epilogue.h"

constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 8; // of one instruction
constexpr int WARP = 32;                        // rows and columns of C per warp
constexpr int SIDE = 2, TILE = WARP * SIDE;     // a block has SIDE x SIDE warps: 64 x 64 of C
constexpr int THREADS = 32 * SIDE * SIDE;       // 128
constexpr int TILE_K = 16;                      // k of a panel: 4 chunks of 16 bytes in a row

// Where an element lies in a tile, in floats. A and B are both stored along k: `row` is a row of A
// or a column of C. The 4 floats of a chunk stay neighbours, as ldmatrix wants them.
static __device__ __forceinline__ int place(int row, int k)
{
    // BEGIN SOLUTION: the 8 rows that ldmatrix reads at once are to lie in all 32 banks
    return row * TILE_K + (k ^ row / 2 % 4 * 4); // two rows fill the banks: exchange every second
    //| return row * TILE_K + k;
    // END SOLUTION
}

// The 4 neighbours at `from`, of which `count` exist, zeros for the others.
static __device__ __forceinline__ float4 load4(const float *from, int count)
{
    if (count >= 4 && (size_t)from % sizeof(float4) == 0)
        return *(const float4 *)from;
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}

// Brings a panel of A or B to its tile: from row `first` and from `first_k` on.
static __device__ __forceinline__ void load(float *tile, const float *matrix, long long stride,
                                            int rows, int k, int first, int first_k)
{
#pragma unroll
    for (int i = threadIdx.x * 4; i < TILE * TILE_K; i += THREADS * 4) {
        const int row = i / TILE_K, at = first_k + i % TILE_K;
        *(float4 *)&tile[place(row, i % TILE_K)] =
            load4(&matrix[(first + row) * stride + at], first + row < rows ? k - at : 0);
    }
}

// One product of floats by three of TF32, as in stage 15.3.
static __device__ __forceinline__ void multiply(float (&sum)[4], const float (&a)[4],
                                                const float (&b)[2])
{
    float a_small[4], b_small[2], of_k[4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        a_small[i] = ptx_rest_of_tf32(a[i]);
#pragma unroll
    for (int i = 0; i < 2; ++i)
        b_small[i] = ptx_rest_of_tf32(b[i]);
    ptx_mma_tf32(of_k, a_small, b);
    ptx_mma_tf32(of_k, a, b_small);
    ptx_mma_tf32(of_k, a, b);
#pragma unroll
    for (int q = 0; q < 4; ++q)
        sum[q] += of_k[q];
}

// An element of A B' in FP32: where an operand is infinite, it has no small part.
static __device__ __noinline__ float in_fp32(const float *a, const float *b, int k)
{
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[i] * b[i];
    return sum;
}

static __global__ __launch_bounds__(THREADS) void gemm(const struct lab_gemm p)
{
    __shared__ __align__(128) float a_tile[TILE * TILE_K], b_tile[TILE * TILE_K];
    const int tiles_across = (p.n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / SIDE * WARP, warp_col = warp % SIDE * WARP; // in the tile
    float sum[WARP / MMA_M][WARP / MMA_N][4] = {};
    for (int first_k = 0; first_k < p.k; first_k += TILE_K) {
        load(a_tile, p.a, p.row_a, p.m, p.k, first_row, first_k);
        load(b_tile, p.b, p.row_b, p.n, p.k, first_col, first_k);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int k = 0; k < TILE_K; k += MMA_K) {
            float a[WARP / MMA_M][4], b[WARP / MMA_N / 2][4];
            // Lanes 8 i to 8 i + 7 name the rows of piece i. Of A: rows 0 to 7 and 8 to 15 at k,
            // then both at k + 4. Of B: 0 to 7 at k and k + 4, then 8 to 15.
#pragma unroll
            for (int i = 0; i < WARP / MMA_M; ++i)
                ptx_ldmatrix4(a[i],
                              ptx_shared_address(a_tile + place(warp_row + i * MMA_M + lane % 16,
                                                                k + lane / 16 * 4)));
#pragma unroll
            for (int j = 0; j < WARP / MMA_N / 2; ++j)
                ptx_ldmatrix4(b[j], ptx_shared_address(b_tile + place(warp_col + j * 2 * MMA_N +
                                                                          lane / 16 * 8 + lane % 8,
                                                                      k + lane / 8 % 2 * 4)));
#pragma unroll
            for (int i = 0; i < WARP / MMA_M; ++i)
#pragma unroll
                for (int j = 0; j < WARP / MMA_N; ++j)
                    multiply(sum[i][j], a[i], {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]});
        }
        __syncthreads(); // all have read them: only now may the next panels overwrite them
    }
#pragma unroll
    for (int i = 0; i < WARP / MMA_M; ++i)
#pragma unroll
        for (int j = 0; j < WARP / MMA_N; ++j)
#pragma unroll
            for (int q = 0; q < 4; ++q) { // of the lane, see ptx/tensor.h
                const int row = first_row + warp_row + i * MMA_M + q / 2 * 8 + lane / 4;
                const int col = first_col + warp_col + j * MMA_N + lane % 4 * 2 + q % 2;
                if (row >= p.m || col >= p.n)
                    continue;
                const float value = isfinite(sum[i][j][q])
                                        ? sum[i][j][q]
                                        : in_fp32(p.a + row * p.row_a, p.b + col * p.row_b, p.k);
                tile_store(&p.c[row * p.row_c + col], value, p.alpha, p.beta);
            }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_nt, {"swizzled", launch, NULL, LAB_REPEATABLE});
