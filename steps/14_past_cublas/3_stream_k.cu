// Step 14.3: stream-K, against wave quantization. Where the last tiles do not fill a wave, they and
// those of the wave before are divided along k, so that the blocks that share them have the same
// number of iterations each. What a block has of a tile, its partial sums, goes to scratch memory,
// and a second kernel reduces them, always in one order.
#include "families/gemm.h"
#include "ptx/launch_early.h"
#include "tile/mainloop.h"
#include "tile/rasterize.h"

using S = tile_shape<12, 2, 2>;  // a block tile of 96 x 128
constexpr int BLOCKS_PER_SM = 3; // 168 registers a thread
constexpr int RASTER_ROWS = 16;  // rows of tiles whose blocks run at the same time
constexpr int QUADS = S::THREAD_M * S::THREAD_N / 4; // runs of 4 values of a thread
constexpr size_t PARTIAL_BYTES = sizeof(float) * S::TILE_M * S::TILE_N;

// The work decomposition. An iteration is a panel of a tile. The first `blocks` blocks share the
// iterations of the first `tiles` tiles, as many each, in order; every other block has a tile of
// its own.
struct stream_k {
    int tiles_down, tiles_across, iterations; // the tiles of C; the iterations of each
    int tiles, blocks; // the first `tiles` are divided among the first `blocks`

    // The first iteration of a block, of all iterations of the divided tiles.
    __host__ __device__ int first_iteration(int block) const
    {
        const int each = tiles * iterations / blocks, longer = tiles * iterations % blocks;
        return block * each + min(block, longer); // the first ones have one more
    }
    // The block that has an iteration.
    __device__ int block_of(int iteration) const
    {
        const int each = tiles * iterations / blocks, longer = tiles * iterations % blocks;
        return iteration < longer * (each + 1) ? iteration / (each + 1)
                                               : longer + (iteration - longer * (each + 1)) / each;
    }
};

// What a block does of one tile.
struct work_unit {
    int tile, first, iterations; // first: the number of the first one, among the tile's
};

// The work unit of a block that begins with iteration `at`.
static __device__ __forceinline__ work_unit work_unit_at(const stream_k &s, int block, int at)
{
    if (block >= s.blocks)
        return {s.tiles + block - s.blocks, 0, s.iterations};
    const int tile = at / s.iterations, first = at % s.iterations;
    return {tile, first, min(s.first_iteration(block + 1) - at, s.iterations - first)};
}

// The first row and column of a tile.
static __device__ __forceinline__ void rasterize(const stream_k &s, int tile, int *row, int *col)
{
    tile_rasterize(s.tiles_down, s.tiles_across, RASTER_ROWS, tile, row, col);
    *row *= S::TILE_M;
    *col *= S::TILE_N;
}

// Where in scratch memory the partial sums lie of a block's work unit that begins with iteration
// `at`. A block has two such units at most: of the tile that it begins with, and of the one that it
// ends with.
static __device__ __forceinline__ float *partial_sums_at(void *workspace, const stream_k &s,
                                                         int block, int at)
{
    const size_t number = 2 * block + (at > s.first_iteration(block) ? 1 : 0);
    return (float *)((char *)workspace + number * PARTIAL_BYTES);
}

// A block goes through its iterations, tile by tile: a whole tile goes to C, and partial sums to
// scratch memory. Each tile begins as if it were the only one, with panels on their way.
template <bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, BLOCKS_PER_SM) void gemm(const struct lab_gemm p,
                                                                         const stream_k s)
{
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    ptx_let_next_begin(); // programmatic dependent launch: see ptx/launch_early.h
    const int remainder = p.k - (s.iterations - 1) * S::TILE_K; // k of a tile's first panel
    int at = (int)blockIdx.x < s.blocks ? s.first_iteration(blockIdx.x) : 0;
    int left; // iterations that the block has not done
    do {
        const work_unit unit = work_unit_at(s, blockIdx.x, at);
        int row, col;
        rasterize(s, unit.tile, &row, &col);
        tile_panel_iterator<S, ALIGNED> iterator(
            p, row, col, unit.first == 0 ? 0 : remainder + (unit.first - 1) * S::TILE_K, shared);
        float sum[S::THREAD_M][S::THREAD_N] = {};
        tile_mainloop<S, ALIGNED>(sum, iterator, shared, unit.iterations,
                                  unit.first == 0 ? remainder : S::TILE_K, p);
        // Rematerialized: in the mainloop no register is free to keep what these sums are of.
        const int block = ptx_opaque(blockIdx.x);
        const work_unit done = work_unit_at(s, block, at);
        if (done.iterations < s.iterations) {
            float *const partial = partial_sums_at(p.workspace, s, block, at) + threadIdx.x;
#pragma unroll
            for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
                for (int q = 0; q < S::THREAD_N; ++q)
                    partial[(r * S::THREAD_N + q) * S::THREADS] = sum[r][q];
        } else {
            rasterize(s, done.tile, &row, &col);
            tile_epilogue<S, ALIGNED>(sum, row, col, p);
        }
        at += done.iterations;
        left = block < s.blocks ? s.first_iteration(block + 1) - at : 0;
        __syncthreads(); // all have read the last panel: the next tile's first may overwrite it
    } while (left > 0);
}

// Reduces the partial sums of a tile, in the order of k. A block has 4 values of each thread of
// gemm().
template <bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS) void reduce(const struct lab_gemm p,
                                                            const stream_k s)
{
    ptx_wait_for_earlier(); // all partial sums are there
    const int tile = (int)blockIdx.x / QUADS, quad = (int)blockIdx.x % QUADS;
    const int thread = threadIdx.x, r = quad / (S::THREAD_N / 4), q = quad % (S::THREAD_N / 4);
    const int begin = tile * s.iterations, last = s.block_of(begin + s.iterations - 1);
    int block = s.block_of(begin), row, col;
    if (block == last)
        return; // which had all of the tile
    rasterize(s, tile, &row, &col);
    row += tile_thread_row<S>(thread) + r / 4 * S::STRIDE_M + r % 4;
    col += tile_thread_col<S>(thread) + q * S::STRIDE_N;
    float sum[4] = {};
    for (; block <= last; ++block) {
        const int at = max(begin, s.first_iteration(block));
        const float *const partial =
            partial_sums_at(p.workspace, s, block, at) + 4 * quad * S::THREADS + thread;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[i] += partial[i * S::THREADS];
    }
    if (row < p.m)
        tile_store4<ALIGNED>(&p.c[(size_t)row * p.n + col], p.n - col, sum, p.alpha, p.beta);
}

// The tiles beyond the whole waves, and those of the last whole wave, are divided. Each
// multiprocessor then has the same number of blocks, so that all of them end at the same time. If
// there is no whole wave, a block does 2 iterations at least, where a tile has 2.
static stream_k decompose(const struct lab_gemm *p)
{
    const int wave = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    stream_k s = {(p->m - 1) / S::TILE_M + 1, (p->n - 1) / S::TILE_N + 1,
                  (p->k - 1) / S::TILE_K + 1};
    const int tiles = s.tiles_down * s.tiles_across, rest = tiles % wave;
    if (rest > 0) {
        s.tiles = tiles > wave ? rest + wave : rest;
        s.blocks = min(wave, s.tiles * max(s.iterations / 2, 1));
    }
    return s;
}

static size_t workspace(const struct lab_gemm *p)
{
    return 2 * decompose(p).blocks * PARTIAL_BYTES;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const stream_k s = decompose(p);
    const bool is_aligned = p->n % 4 == 0;
    const auto kernel = is_aligned ? gemm<true> : gemm<false>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::BYTES);
    if (status != cudaSuccess)
        return status;
    const int blocks = s.blocks + s.tiles_down * s.tiles_across - s.tiles;
    kernel<<<blocks, S::THREADS, S::BYTES, stream>>>(*p, s);
    return s.tiles > 0 ? launch_early(is_aligned ? reduce<true> : reduce<false>, s.tiles * QUADS,
                                      S::THREADS, 0, stream, *p, s)
                       : cudaGetLastError();
}

LAB_EXPORT(gemm, {"stream_k", launch, workspace, LAB_REPEATABLE});
