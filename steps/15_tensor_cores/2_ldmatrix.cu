// Step 15.2: fragments by ldmatrix, from a swizzled tile. One instruction loads four 8 x 4 pieces
// of A, which are a whole fragment. Rows of A's tile are not padded; their 16-byte chunks are
// exchanged instead, so that neither the copies nor the loads conflict.
#include "families/gemm.h"
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
            float a[WARP_M / MMA_M][4], b[WARP_N / MMA_N][2];
#pragma unroll
            for (int i = 0; i < WARP_M / MMA_M; ++i) {
                // Lanes 0 to 15 give 16 rows at k, lanes 16 to 31 the same rows at k + 4.
                ptx_ldmatrix4(a[i],
                              ptx_shared_address(a_tile + a_place(warp_row + i * MMA_M + lane % 16,
                                                                  k + lane / 16 * 4)));
            }
#pragma unroll
            for (int i = 0; i < WARP_N / MMA_N; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j)
                    b[i][j] = b_tile[(k + j * 4 + t) * LD_B + warp_col + i * MMA_N + g];
#pragma unroll
            for (int i = 0; i < WARP_M / MMA_M; ++i)
#pragma unroll
                for (int j = 0; j < WARP_N / MMA_N; ++j)
                    ptx_mma_tf32(sum[i][j], a[i], b[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < WARP_M / MMA_M; ++i)
#pragma unroll
        for (int j = 0; j < WARP_N / MMA_N; ++j)
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const int row = first_row + warp_row + i * MMA_M + q / 2 * 8 + g;
                const int col = first_col + warp_col + j * MMA_N + 2 * t + q % 2;
                if (row < p.m && col < p.n)
                    tile_store(&p.c[(size_t)row * p.n + col], sum[i][j][q], p.alpha, p.beta);
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

LAB_EXPORT(gemm,
           {"tf32_ldmatrix", launch, NULL, LAB_REPEATABLE | LAB_SHOWS_ERROR | LAB_CUTS_TO_TF32});
