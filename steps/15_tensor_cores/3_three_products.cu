// Step 15.3: three products for one, as accurate as FP32 (3xTF32). Each operand is split in two
// pieces of TF32, large + small (the tensor core takes large of x itself), and the products of
// large by large, large by small and small by large are added up; small by small, at most 2^-20 of
// the product, is left out. Tensor cores cut their sums off, so these leave them after every 8 k
// and are added up in FP32, which rounds. Hiroyuki Ootomo and Rio Yokota, Recovering single
// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance
// (2022).
#include "families/gemm.h"
#include "ptx/opaque.h"
#include "ptx/shared.h"
#include "ptx/tensor.h"
#include "tile/epilogue.h"
#include "tile/rasterize.h"

#include <cuda_pipeline.h>

constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 8; // of one instruction
constexpr int WARP_M = 64, WARP_N = 32;         // warp tile: 4 x 4 instructions for each MMA_K
constexpr int DOWN = 2, ACROSS = 4, THREADS = 32 * DOWN * ACROSS; // warps of a block
constexpr int TILE_M = WARP_M * DOWN, TILE_N = WARP_N * ACROSS;   // block tile: 128 x 128
constexpr int TILE_K = 32;                                        // k of a panel
constexpr int STAGES = 3; // panels in shared memory: one is used, two are on their way
// B's rows are padded so that the 32 lanes' elements of a fragment, 8 t + g, lie in 32 banks.
constexpr int LD_B = TILE_N + 8;
constexpr int A_FLOATS = TILE_M * TILE_K, STAGE_FLOATS = A_FLOATS + TILE_K * LD_B;
constexpr int BYTES = STAGES * STAGE_FLOATS * (int)sizeof(float);
constexpr int RASTER_ROWS = 16; // rows of tiles whose blocks run at the same time

// Where an element lies in A's tile, in floats. Rows are 8 chunks of 16 bytes long. Eight rows of a
// column of chunks lie in eight different chunks of the banks: what ldmatrix reads at once.
static __device__ __forceinline__ int a_place(int row, int k)
{
    return row * TILE_K + (k ^ row % 8 * 4);
}

// Starts a thread's copies of the panel that begins with `first_k`; zeros where A and B have ended.
template <bool ALIGNED>
static __device__ __forceinline__ void copy_panel(const struct lab_gemm &p, int first_row,
                                                  int first_col, int first_k, float *stage)
{
    constexpr int WIDTH = ALIGNED ? 4 : 1; // floats of a copy
    const unsigned a_tile = ptx_shared_address(stage);
    const unsigned b_tile = ptx_shared_address(stage + A_FLOATS);
#pragma unroll 4
    for (int i = threadIdx.x * WIDTH; i < TILE_M * TILE_K; i += THREADS * WIDTH) {
        const int row = i / TILE_K, k = i % TILE_K;
        const bool is_there = first_row + row < p.m && first_k + k < p.k;
        ptx_copy<WIDTH, false>(a_tile + 4 * a_place(row, k),
                               is_there ? p.a + (size_t)(first_row + row) * p.k + first_k + k : p.a,
                               is_there);
    }
#pragma unroll 4
    for (int i = threadIdx.x * WIDTH; i < TILE_K * TILE_N; i += THREADS * WIDTH) {
        const int k = i / TILE_N, col = i % TILE_N;
        const bool is_there = first_k + k < p.k && first_col + col < p.n;
        ptx_copy<WIDTH, false>(b_tile + 4 * (k * LD_B + col),
                               is_there ? p.b + (size_t)(first_k + k) * p.n + first_col + col : p.b,
                               is_there);
    }
}

template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, ALIGNED ? 2 : 1) void gemm(const struct lab_gemm p)
{
    extern __shared__ __align__(16) float shared[]; // (stage, A: (m, k), then B: (k, n))
    const int panels = (p.k - 1) / TILE_K + 1;
    int first_row, first_col;
    tile_rasterize((p.m - 1) / TILE_M + 1, (p.n - 1) / TILE_N + 1, RASTER_ROWS, blockIdx.x,
                   &first_row, &first_col);
    first_row *= TILE_M;
    first_col *= TILE_N;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < panels)
            copy_panel<ALIGNED>(p, first_row, first_col, stage * TILE_K,
                                shared + stage * STAGE_FLOATS);
        __pipeline_commit(); // a group of copies for each panel; past the last one of nothing
    }
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4; // see ptx/tensor.h
    const int warp_row = (int)threadIdx.x / 32 / ACROSS * WARP_M;
    const int warp_col = (int)threadIdx.x / 32 % ACROSS * WARP_N;
    float sum[WARP_M / MMA_M][WARP_N / MMA_N][4] = {}; // of the warp tile, what this lane holds
    for (int panel = 0; panel < panels; ++panel) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the panel has arrived, in every thread, and all have read the one before
        if (panel + STAGES - 1 < panels)
            copy_panel<ALIGNED>(p, first_row, first_col, (panel + STAGES - 1) * TILE_K,
                                shared + (panel + STAGES - 1) % STAGES * STAGE_FLOATS);
        __pipeline_commit();
        const float *const a_tile = shared + panel % STAGES * STAGE_FLOATS;
        const float *const b_tile = a_tile + A_FLOATS;
#pragma unroll
        for (int k = 0; k < TILE_K; k += MMA_K) {
#pragma unroll
            for (int i = 0; i < WARP_N / MMA_N; i += 4) {
                float b[4][2], b_small[4][2];
#pragma unroll
                for (int r = 0; r < 4; ++r)
#pragma unroll
                    for (int j = 0; j < 2; ++j) {
                        b[r][j] = b_tile[(k + j * 4 + t) * LD_B + warp_col + (i + r) * MMA_N + g];
                        b_small[r][j] = ptx_rest_of_tf32(b[r][j]);
                    }
#pragma unroll
                for (int r = 0; r < WARP_M / MMA_M; ++r) {
                    float a[4], a_small[4], of_k[4][4];
                    // Lanes 0 to 15 give 16 rows at k, lanes 16 to 31 the same rows at k + 4.
                    ptx_ldmatrix4(
                        a, ptx_shared_address(a_tile + a_place(warp_row + r * MMA_M + lane % 16,
                                                               k + lane / 16 * 4)));
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        a_small[j] = ptx_rest_of_tf32(a[j]);
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        ptx_mma_tf32_alone(of_k[j], a_small, b[j]);
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        ptx_mma_tf32(of_k[j], a, b_small[j]);
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        ptx_mma_tf32(of_k[j], a, b[j]);
#pragma unroll
                    for (int j = 0; j < 4; ++j)
#pragma unroll
                        for (int q = 0; q < 4; ++q)
                            sum[r][i + j][q] += of_k[j][q];
                }
            }
        }
    }
    // Where x is infinite, small is NaN, and infinity times a small that is 0 is NaN, too: sums
    // that are not finite are computed again, in FP32.
    unsigned again = 0; // a bit for two columns
    tile_rasterize((p.m - 1) / TILE_M + 1, (p.n - 1) / TILE_N + 1, RASTER_ROWS,
                   ptx_opaque(blockIdx.x), &first_row, &first_col);
    first_row *= TILE_M;
    first_col *= TILE_N;
    const int thread = ptx_opaque(threadIdx.x); // computed here, not kept through the loop
    const int own_row = first_row + thread / 32 / ACROSS * WARP_M + thread % 32 / 4;
    const int own_col = first_col + thread / 32 % ACROSS * WARP_N + thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP_M / MMA_M; ++i)
#pragma unroll
        for (int j = 0; j < WARP_N / MMA_N; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) { // 8 rows further
                const int row = own_row + i * MMA_M + half * 8, first = own_col + j * MMA_N;
                const bool is_finite =
                    isfinite(sum[i][j][2 * half]) && isfinite(sum[i][j][2 * half + 1]);
                if (row < p.m && !is_finite)
                    again |= 1u << (i * 8 + j * 2 + half);
#pragma unroll
                for (int q = 0; q < 2; ++q)
                    if (row < p.m && is_finite && first + q < p.n)
                        tile_store(&p.c[(size_t)row * p.n + first + q], sum[i][j][2 * half + q],
                                   p.alpha, p.beta);
            }
    for (; again; again &= again - 1) {
        const int i = (__ffs(again) - 1) / 8, j = (__ffs(again) - 1) % 8 / 2;
        const int row = own_row + i * MMA_M + (__ffs(again) - 1) % 2 * 8;
        const int first = own_col + j * MMA_N;
#pragma unroll 1
        for (int col = first; col < min(first + 2, p.n); ++col) {
            float in_fp32 = 0.0f;
#pragma unroll 1
            for (int l = 0; l < p.k; ++l)
                in_fp32 += p.a[(size_t)row * p.k + l] * p.b[(size_t)l * p.n + col];
            tile_store(&p.c[(size_t)row * p.n + col], in_fp32, p.alpha, p.beta);
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    const auto kernel = p->n % 4 == 0 && p->k % 4 == 0 ? gemm<true> : gemm<false>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, THREADS, BYTES, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tf32_three", launch, NULL, LAB_REPEATABLE | LAB_SHOWS_ERROR});
