// Step 14.1: warp tiles. A rewrite of 12.7 for one form, with fewer instructions beside the
// multiply-adds: a thread tile of 12 x 8 in place of 8 x 8, a warp tile of 48 x 64, and register
// double buffering: the fragments of the next k are loaded while those of this one are used.
#include "families/gemm.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/panel_iterator.h"

#include <cuda_pipeline.h>

// The tiles of a block, in elements.
struct S {
    static constexpr int THREAD_M = 12, THREAD_N = 8;                  // thread tile
    static constexpr int WARP_M = 4 * THREAD_M, WARP_N = 8 * THREAD_N; // warp tile: 4 x 8 threads
    static constexpr int DOWN = 2, ACROSS = 2, THREADS = 32 * DOWN * ACROSS; // warps of a block
    static constexpr int TILE_M = WARP_M * DOWN, TILE_N = WARP_N * ACROSS;   // block tile: 96 x 128
    static constexpr int TILE_K = 16;                                        // k of a panel
    static constexpr int STRIDE_M = 16, STRIDE_N = 32; // from a thread's run of 4 to its next
    static constexpr int STAGES = 3; // panels in shared memory: one is used, two are on their way
    static constexpr int LD_A = TILE_M + 4, LD_B = TILE_N; // every row of a tile stays aligned
    static constexpr int A_FLOATS = TILE_K * LD_A, STAGE_FLOATS = A_FLOATS + TILE_K * LD_B;
    static constexpr int BYTES = STAGES * STAGE_FLOATS * (int)sizeof(float);
};
constexpr int BLOCKS_PER_SM = 3; // 168 registers a thread

// Where a thread tile begins in the block tile. Lanes 1 apart share columns and lanes 2 apart rows:
// the hardware serves two groups of 8 lanes of a 16-byte load in one wavefront if all lanes 1
// apart, or all lanes 2 apart, want the same address.
static __device__ __forceinline__ int thread_row(int thread)
{
    return thread / 32 / S::ACROSS * S::WARP_M + (thread % 2 + thread / 4 % 2 * 2) * 4;
}

static __device__ __forceinline__ int thread_col(int thread)
{
    return thread / 32 % S::ACROSS * S::WARP_N + (thread / 2 % 2 + thread % 32 / 8 * 2) * 4;
}

template <bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, BLOCKS_PER_SM) void gemm(const struct lab_gemm p)
{
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    const int panels = (p.k - 1) / S::TILE_K + 1;
    const int remainder = p.k - (panels - 1) * S::TILE_K; // k of the first one, 1 to S::TILE_K
    const int tiles_across = (p.n - 1) / S::TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * S::TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * S::TILE_N;
    tile_panel_iterator<S, ALIGNED> iterator(p, first_row, first_col, 0, shared);
#pragma unroll
    for (int stage = 0; stage < S::STAGES - 1; ++stage) {
        if (stage < panels)
            iterator.copy_all(4 * S::STAGE_FLOATS * stage, p.n, p.k,
                              stage == 0 ? remainder : S::TILE_K);
        __pipeline_commit(); // a group of copies for each panel; past the last one of nothing
    }
    float sum[S::THREAD_M][S::THREAD_N] = {}; // in registers: every index is known when compiling
    const int a_from = thread_row(threadIdx.x), b_from = S::A_FLOATS + thread_col(threadIdx.x);
    const float *now = shared;                             // the stage in use
    unsigned next = 4 * S::STAGE_FLOATS * (S::STAGES - 1); // the stage to be filled, in bytes
    for (int left = panels; left > 0; --left) {
        __pipeline_wait_prior(S::STAGES - 2);
        __syncthreads(); // the panel has arrived, in every thread, and all have read the one before
#pragma unroll
        for (int i = 0; i < iterator.COUNT; ++i)
            iterator.copy(i, next, p.n, p.k, left > S::STAGES - 1);
        __pipeline_commit();
        iterator.advance(p.n);
        next = next == 4 * S::STAGE_FLOATS * (S::STAGES - 1) ? 0 : next + 4 * S::STAGE_FLOATS;
        const float *const a_tile = now + a_from, *const b_tile = now + b_from;
        float a_fragment[2][S::THREAD_M],
            b_fragment[2][S::THREAD_N]; // of this k, and of the next one
        tile_load_fragment(a_fragment[0], a_tile, S::STRIDE_M);
        tile_load_fragment(b_fragment[0], b_tile, S::STRIDE_N);
#pragma unroll
        for (int i = 0; i < S::TILE_K; ++i) {
            if (i + 1 < S::TILE_K) {
                tile_load_fragment(a_fragment[(i + 1) % 2], a_tile + (i + 1) * S::LD_A,
                                   S::STRIDE_M);
                tile_load_fragment(b_fragment[(i + 1) % 2], b_tile + (i + 1) * S::TILE_N,
                                   S::STRIDE_N);
            }
            tile_outer_product_by_rows(sum, a_fragment[i % 2], b_fragment[i % 2]);
        }
        now = now == shared + S::STAGE_FLOATS * (S::STAGES - 1) ? shared : now + S::STAGE_FLOATS;
    }
    const int thread = threadIdx.x, row = first_row + thread_row(thread);
    const int col = first_col + thread_col(thread);
#pragma unroll
    for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
        for (int q = 0; q < S::THREAD_N; q += 4) {
            const int down = r / 4 * S::STRIDE_M + r % 4, across = q / 4 * S::STRIDE_N;
            if (row + down < p.m)
                tile_store4<ALIGNED>(&p.c[(size_t)(row + down) * p.n + col + across],
                                     p.n - col - across, &sum[r][q], p.alpha, p.beta);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / S::TILE_M + 1) * ((p->n - 1) / S::TILE_N + 1);
    const auto kernel = p->n % 4 == 0 ? gemm<true> : gemm<false>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::BYTES);
    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, S::THREADS, S::BYTES, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"warp_tiles", launch, NULL, LAB_REPEATABLE});
