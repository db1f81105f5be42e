// Step 14.4: stream-K with fix-up. A block begins with the tile that its iterations end with, and
// leaves its partial sums in scratch memory; the next block, which ends with that tile, adds them
// to its own. Half as much is stored and read, and no kernel follows. Where tiles have many parts
// the separate reduction is still quicker: it adds those of all tiles at the same time.
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
    bool fixup; // the block with a tile's last iteration adds the partial sums; else reduce() does

    // Scratch memory begins with a flag for each block: that its partial sums are there.
    __host__ __device__ size_t flag_bytes() const
    {
        return (blocks * sizeof(unsigned) + 255) / 256 * 256;
    }

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

// The work unit of a block with the last iteration before `end`.
static __device__ __forceinline__ work_unit work_unit_at(const stream_k &s, int block, int end)
{
    if (block >= s.blocks)
        return {s.tiles + block - s.blocks, 0, s.iterations};
    const int tile = (end - 1) / s.iterations;
    const int first = max(s.first_iteration(block) - tile * s.iterations, 0);
    return {tile, first, end - tile * s.iterations - first};
}

// The first row and column of a tile.
static __device__ __forceinline__ void rasterize(const stream_k &s, int tile, int *row, int *col)
{
    tile_rasterize(s.tiles_down, s.tiles_across, RASTER_ROWS, tile, row, col);
    *row *= S::TILE_M;
    *col *= S::TILE_N;
}

// Where in scratch memory the partial sums lie of a block's work unit that ends before iteration
// `end`. A block has two such units at most: of the tile that it begins with, and of the one that
// it ends with.
static __device__ __forceinline__ float *partial_sums_at(void *workspace, const stream_k &s,
                                                         int block, int end)
{
    const size_t number = 2 * block + (end == s.first_iteration(block + 1) ? 0 : 1);
    return (float *)((char *)workspace + s.flag_bytes() + number * PARTIAL_BYTES);
}

// A block goes through its iterations from the last tile to the first: a whole tile goes to C, and
// partial sums to scratch memory, or, with fix-up, with those of the blocks before it to C. Each
// tile begins as if it were the only one, with panels on their way.
template <bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, BLOCKS_PER_SM) void gemm(const struct lab_gemm p,
                                                                         const stream_k s)
{
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    ptx_let_next_begin(); // programmatic dependent launch: see ptx/launch_early.h
    const int remainder = p.k - (s.iterations - 1) * S::TILE_K; // k of a tile's first panel
    int end = (int)blockIdx.x < s.blocks ? s.first_iteration(blockIdx.x + 1) : 0;
    int left; // iterations that the block has not done
    do {
        const work_unit unit = work_unit_at(s, blockIdx.x, end);
        int row, col;
        rasterize(s, unit.tile, &row, &col);
        tile_panel_iterator<S, ALIGNED> iterator(
            p, row, col, unit.first == 0 ? 0 : remainder + (unit.first - 1) * S::TILE_K, shared);
        float sum[S::THREAD_M][S::THREAD_N] = {};
        tile_mainloop<S, ALIGNED>(sum, iterator, shared, unit.iterations,
                                  unit.first == 0 ? remainder : S::TILE_K, p);
        // Rematerialized: in the mainloop no register is free to keep what these sums are of.
        const int block = ptx_opaque(blockIdx.x);
        const work_unit done = work_unit_at(s, block, end);
        unsigned *const ready = (unsigned *)p.workspace;
        const bool is_last = done.first + done.iterations == s.iterations; // of the tile
        if (done.iterations < s.iterations && !(s.fixup && is_last)) {
            float *const partial = partial_sums_at(p.workspace, s, block, end) + threadIdx.x;
#pragma unroll
            for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
                for (int q = 0; q < S::THREAD_N; ++q)
                    partial[(r * S::THREAD_N + q) * S::THREADS] = sum[r][q];
            if (s.fixup) {
                __threadfence(); // the partial sums are there before the flag says so
                __syncthreads();
                if (threadIdx.x == 0) {
                    ptx_wait_for_earlier(); // the flags are clear
                    atomicExch(&ready[block], 1);
                }
            }
        } else {
            // The fix-up: adds the sums of the blocks before, each of which began with this tile.
            const int first =
                done.iterations < s.iterations ? s.block_of(done.tile * s.iterations) : block;
            for (int other = block - 1; other >= first; --other) {
                if (threadIdx.x == 0) {
                    ptx_wait_for_earlier();
                    while (atomicAdd(&ready[other], 0) == 0)
                        ;
                    __threadfence(); // the partial sums are read after this fence
                }
                __syncthreads();
                const float *const partial =
                    partial_sums_at(p.workspace, s, other, s.first_iteration(other + 1)) +
                    threadIdx.x;
#pragma unroll
                for (int r = 0; r < S::THREAD_M; ++r)
#pragma unroll
                    for (int q = 0; q < S::THREAD_N; ++q)
                        sum[r][q] += __ldcg(&partial[(r * S::THREAD_N + q) * S::THREADS]);
            }
            rasterize(s, done.tile, &row, &col);
            tile_epilogue<S, ALIGNED>(sum, row, col, p);
        }
        end -= done.iterations;
        left = block < s.blocks ? end - s.first_iteration(block) : 0;
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
    const int end = (tile + 1) * s.iterations, last = s.block_of(end - 1);
    int block = s.block_of(end - s.iterations), row, col;
    if (block == last)
        return; // which had all of the tile
    rasterize(s, tile, &row, &col);
    row += tile_thread_row<S>(thread) + r / 4 * S::STRIDE_M + r % 4;
    col += tile_thread_col<S>(thread) + q * S::STRIDE_N;
    float sum[4] = {};
    for (; block <= last; ++block) {
        const int last_of_block = min(end, s.first_iteration(block + 1));
        const float *const partial =
            partial_sums_at(p.workspace, s, block, last_of_block) + 4 * quad * S::THREADS + thread;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[i] += partial[i * S::THREADS];
    }
    if (row < p.m)
        tile_store4<ALIGNED>(&p.c[(size_t)row * p.n + col], p.n - col, sum, p.alpha, p.beta);
}

// Clears the flags: no partial sums are there.
static __global__ void clear(unsigned *ready, int count)
{
    ptx_let_next_begin();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        ready[i] = 0;
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
        s.fixup = s.tiles * 4 >= s.blocks; // on average at most 4 to a tile
    }
    return s;
}

static size_t workspace(const struct lab_gemm *p)
{
    const stream_k s = decompose(p);
    return s.blocks > 0 ? s.flag_bytes() + 2 * s.blocks * PARTIAL_BYTES : 0;
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
    if (s.fixup) {
        clear<<<1, 256, 0, stream>>>((unsigned *)p->workspace, s.blocks);
        return launch_early(kernel, blocks, S::THREADS, S::BYTES, stream, *p, s);
    }
    kernel<<<blocks, S::THREADS, S::BYTES, stream>>>(*p, s);
    return s.tiles > 0 ? launch_early(is_aligned ? reduce<true> : reduce<false>, s.tiles * QUADS,
                                      S::THREADS, 0, stream, *p, s)
                       : cudaGetLastError();
}

LAB_EXPORT(gemm, {"stream_k_fixup", launch, workspace, LAB_REPEATABLE});
