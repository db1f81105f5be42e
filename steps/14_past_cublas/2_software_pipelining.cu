// Step 14.2: software pipelining of the copies. Copies wait in the same queue as the loads from
// shared memory: started all at once, they hold up the loads of all warps. Four start at a time,
// while there are products to do. Blocks take their tiles in a swizzled order (tile/rasterize.h).
#include "families/gemm.h"
#include "ptx/opaque.h"
#include "tile/epilogue.h"
#include "tile/fragment.h"
#include "tile/panel_iterator.h"
#include "tile/rasterize.h"
#include "tile/shape.h"

#include <cuda_pipeline.h>

using S = tile_shape<12, 2, 2>;  // a block tile of 96 x 128
constexpr int BLOCKS_PER_SM = 3; // 168 registers a thread
constexpr int RASTER_ROWS = 16;  // rows of tiles whose blocks run at the same time

// The first row and column of a tile.
static __device__ __forceinline__ void rasterize(int m, int n, int tile, int *row, int *col)
{
    tile_rasterize((m - 1) / S::TILE_M + 1, (n - 1) / S::TILE_N + 1, RASTER_ROWS, tile, row, col);
    *row *= S::TILE_M;
    *col *= S::TILE_N;
}

template <bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, BLOCKS_PER_SM) void gemm(const struct lab_gemm p)
{
    constexpr int COUNT = tile_panel_iterator<S, ALIGNED>::COUNT; // copies of a panel
    constexpr int EVERY = COUNT > 20 ? 2 : 4;                     // k between groups of copies
    constexpr int GROUP = (COUNT - 1) / (S::TILE_K / EVERY) + 1;  // copies of a group
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    const int panels = (p.k - 1) / S::TILE_K + 1;
    const int remainder = p.k - (panels - 1) * S::TILE_K; // k of the first one, 1 to S::TILE_K
    int first_row, first_col;
    rasterize(p.m, p.n, blockIdx.x, &first_row, &first_col);
    tile_panel_iterator<S, ALIGNED> iterator(p, first_row, first_col, 0, shared);
#pragma unroll
    for (int stage = 0; stage < S::STAGES - 1; ++stage) {
        if (stage < panels)
            iterator.copy_all(4 * S::STAGE_FLOATS * stage, p.n, p.k,
                              stage == 0 ? remainder : S::TILE_K);
        __pipeline_commit(); // a group of copies for each panel; past the last one of nothing
    }
    float sum[S::THREAD_M][S::THREAD_N] = {}; // in registers: every index is known when compiling
    const int a_from = tile_thread_row<S>(threadIdx.x),
              b_from = S::A_FLOATS + tile_thread_col<S>(threadIdx.x);
    const float *now = shared;                             // the stage in use
    unsigned next = 4 * S::STAGE_FLOATS * (S::STAGES - 1); // the stage to be filled, in bytes
    for (int left = panels; left > 0; --left) {
        __pipeline_wait_prior(S::STAGES - 2);
        __syncthreads(); // the panel has arrived, in every thread, and all have read the one before
        const unsigned k = ptx_opaque(p.k); // else its multiples would be kept in registers
        const float *const a_tile = now + a_from, *const b_tile = now + b_from;
        float a_fragment[2][S::THREAD_M],
            b_fragment[2][S::THREAD_N]; // of this k, and of the next one
        tile_load_fragment_here(a_fragment[0], a_tile, S::STRIDE_M);
        tile_load_fragment_here(b_fragment[0], b_tile, S::STRIDE_N);
#pragma unroll
        for (int i = 0; i < S::TILE_K; ++i) {
            if (i % EVERY == 0)
#pragma unroll
                for (int j = 0; j < GROUP; ++j)
                    iterator.copy(i / EVERY * GROUP + j, next, p.n, k, left > S::STAGES - 1);
            if (i + 1 < S::TILE_K) {
                tile_load_fragment_here(a_fragment[(i + 1) % 2], a_tile + (i + 1) * S::LD_A,
                                        S::STRIDE_M);
                tile_load_fragment_here(b_fragment[(i + 1) % 2], b_tile + (i + 1) * S::TILE_N,
                                        S::STRIDE_N);
            }
            tile_outer_product_by_rows(sum, a_fragment[i % 2], b_fragment[i % 2]);
        }
        __pipeline_commit();
        iterator.advance(p.n);
        next = next == 4 * S::STAGE_FLOATS * (S::STAGES - 1) ? 0 : next + 4 * S::STAGE_FLOATS;
        now = now == shared + S::STAGE_FLOATS * (S::STAGES - 1) ? shared : now + S::STAGE_FLOATS;
    }
    // Rematerialized: in the loop no register is free to keep where these values belong.
    rasterize(p.m, p.n, ptx_opaque(blockIdx.x), &first_row, &first_col);
    const int row = first_row + tile_thread_row<S>(threadIdx.x);
    const int col = first_col + tile_thread_col<S>(threadIdx.x);
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

LAB_EXPORT(gemm, {"software_pipelined", launch, NULL, LAB_REPEATABLE});
