// Step 14.5: heuristics. Of three block tiles, and of stream-K with and without fix-up, the launch
// takes those for which a model predicts the least time, from what a multiprocessor multiplies in a
// microsecond and what partial sums cost: for tall, thin and small matrices as for large ones.
#include "families/gemm.h"
#include "ptx/launch_early.h"
#include "tile/mainloop.h"
#include "tile/rasterize.h"
#include "tile/stream_k.h"

constexpr int RASTER_ROWS = 16; // rows of tiles whose blocks run at the same time

// A block tile with what the heuristics know of it.
template <int ROWS, int WARPS_DOWN, int WARPS_ACROSS>
struct shape : tile_shape<ROWS, WARPS_DOWN, WARPS_ACROSS> {
    static constexpr int BLOCKS_PER_SM = // as many as registers allow without a spill
        (ROWS == 12 || WARPS_ACROSS == 1 ? 384 : 512) / (32 * WARPS_DOWN * WARPS_ACROSS);
    static constexpr int QUADS = ROWS * 8 / 4; // runs of 4 values of a thread
    static constexpr size_t PARTIAL_BYTES =    // partial sums of a tile
        sizeof(float) * 4 * ROWS * WARPS_DOWN * 64 * WARPS_ACROSS;
    // Relative to 12 x 8 values, by the instructions for a multiply-add.
    static constexpr double SPEED = ROWS == 12 ? 1.0 : WARPS_ACROSS == 2 ? 0.98 : 0.97;
};

// The first row and column of a tile.
template <class S>
static __device__ __forceinline__ void rasterize(const tile_stream_k &s, int tile, int *row,
                                                 int *col)
{
    tile_rasterize(s.tiles_down, s.tiles_across, RASTER_ROWS, tile, row, col);
    *row *= S::TILE_M;
    *col *= S::TILE_N;
}

// As in 14.4: a block goes through its iterations from the last tile to the first.
template <class S, bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, S::BLOCKS_PER_SM) void gemm(const struct lab_gemm p,
                                                                            const tile_stream_k s)
{
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    ptx_let_next_begin(); // programmatic dependent launch: see ptx/launch_early.h
    const int remainder = p.k - (s.iterations - 1) * S::TILE_K; // k of a tile's first panel
    int end = (int)blockIdx.x < s.blocks ? s.first_iteration(blockIdx.x + 1) : 0;
    int left; // iterations that the block has not done
    do {
        const tile_work_unit unit = tile_work_unit_at(s, blockIdx.x, end);
        int row, col;
        rasterize<S>(s, unit.tile, &row, &col);
        tile_panel_iterator<S, ALIGNED> iterator(
            p, row, col, unit.first == 0 ? 0 : remainder + (unit.first - 1) * S::TILE_K, shared);
        float sum[S::THREAD_M][S::THREAD_N] = {};
        tile_mainloop<S, ALIGNED>(sum, iterator, shared, unit.iterations,
                                  unit.first == 0 ? remainder : S::TILE_K, p);
        // Rematerialized: in the mainloop no register is free to keep what these sums are of.
        const int block = ptx_opaque(blockIdx.x);
        const tile_work_unit done = tile_work_unit_at(s, block, end);
        const bool is_part = done.iterations < s.iterations;
        if (is_part && !(s.fixup && done.first + done.iterations == s.iterations)) {
            tile_store_partial_sums<S>(sum, p.workspace, s, block, end);
        } else {
            tile_fixup<S>(sum, p.workspace, s,
                          is_part ? s.block_of(done.tile * s.iterations) : block, block);
            rasterize<S>(s, done.tile, &row, &col);
            tile_epilogue<S, ALIGNED>(sum, row, col, p);
        }
        end -= done.iterations;
        left = block < s.blocks ? end - s.first_iteration(block) : 0;
        __syncthreads(); // all have read the last panel: the next tile's first may overwrite it
    } while (left > 0);
}

// Reduces the partial sums of a tile, in the order of k. A block has 4 values of each thread of
// gemm().
template <class S, bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS) void reduce(const struct lab_gemm p,
                                                            const tile_stream_k s)
{
    ptx_wait_for_earlier(); // all partial sums are there
    const int tile = (int)blockIdx.x / S::QUADS, quad = (int)blockIdx.x % S::QUADS;
    const int thread = threadIdx.x, r = quad / (S::THREAD_N / 4), q = quad % (S::THREAD_N / 4);
    const int end = (tile + 1) * s.iterations, last = s.block_of(end - 1);
    int block = s.block_of(end - s.iterations), row, col;
    if (block == last)
        return; // which had all of the tile
    rasterize<S>(s, tile, &row, &col);
    row += tile_thread_row<S>(thread) + r / 4 * S::STRIDE_M + r % 4;
    col += tile_thread_col<S>(thread) + q * S::STRIDE_N;
    float sum[4] = {};
    for (; block <= last; ++block) {
        const float *const partial =
            tile_partial_sums(p.workspace, s, block, min(end, s.first_iteration(block + 1)),
                              S::TILE_M * S::TILE_N) +
            4 * quad * S::THREADS + thread;
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

// The model: what a launch is predicted to take, in microseconds, from measurements on an H200.
constexpr double PRODUCTS = 196e3;      // multiply-adds of a multiprocessor in a microsecond
constexpr double FILL = 1.4;            // the pipeline's prologue, in times of an iteration
constexpr double FIXUP = 1.3;           // the partial sums of one block added by the next
constexpr double FLAGS = 3.2;           // clearing the flags, and the first wait
constexpr double REDUCTION = 2.9;       // the second kernel
constexpr double PARTIAL_SPEED = 4.2e6; // bytes of partial sums stored and read in a microsecond

// The time of `blocks` blocks on each multiprocessor, at the same time, of so many iterations:
// fewer than three hide less of the latencies.
template <class S> static double time_of(int blocks, double iterations)
{
    const double hidden = blocks == 1 ? 0.84 : blocks == 2 ? 0.98 : 1.0;
    return blocks * iterations * S::TILE_M * S::TILE_N * S::TILE_K / (PRODUCTS * S::SPEED * hidden);
}

// The decomposition that is predicted to take least, and its time.
template <class S> static double decompose(const struct lab_gemm *p, tile_stream_k *best)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int wave = sms * S::BLOCKS_PER_SM;
    tile_stream_k s = {(p->m - 1) / S::TILE_M + 1, (p->n - 1) / S::TILE_N + 1,
                       (p->k - 1) / S::TILE_K + 1};
    const int tiles = s.tiles_down * s.tiles_across, waves = tiles / wave, rest = tiles % wave;
    *best = s;
    double least = time_of<S>(S::BLOCKS_PER_SM, waves * (s.iterations + FILL)) +
                   time_of<S>((rest + sms - 1) / sms, s.iterations + FILL);
    s.tiles = waves > 0 ? rest + wave : rest;
    // After whole waves the blocks fill a wave; where there are none, fewer may be better.
    for (int blocks = waves > 0 ? S::BLOCKS_PER_SM : 1; rest > 0 && blocks <= S::BLOCKS_PER_SM;
         ++blocks) {
        s.blocks = min(blocks * sms, s.tiles * s.iterations);
        const double each = (double)s.tiles * s.iterations / s.blocks; // iterations
        const double multiplying =
            time_of<S>(blocks, each + FILL * (each / s.iterations + 1.0)) +
            time_of<S>(S::BLOCKS_PER_SM, max(waves - 1, 0) * (s.iterations + FILL));
        const double fixup = FLAGS + FIXUP * ceil(s.iterations / each);
        const double reduction =
            REDUCTION + (double)(s.blocks + s.tiles) * S::PARTIAL_BYTES / PARTIAL_SPEED;
        s.fixup = fixup < reduction;
        if (multiplying + min(fixup, reduction) < least) {
            least = multiplying + min(fixup, reduction);
            *best = s;
        }
    }
    return least;
}

template <class S> static cudaError_t launch_shape(const struct lab_gemm *p, cudaStream_t stream)
{
    tile_stream_k s;
    decompose<S>(p, &s);
    const bool is_aligned = p->n % 4 == 0;
    const auto kernel = is_aligned ? gemm<S, true> : gemm<S, false>;
    const auto reduction = is_aligned ? reduce<S, true> : reduce<S, false>;
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
    return s.tiles > 0 ? launch_early(reduction, s.tiles * S::QUADS, S::THREADS, 0, stream, *p, s)
                       : cudaGetLastError();
}

// Of the tiles that were considered the one that is predicted to take least.
struct choice {
    double time;
    size_t bytes; // of scratch memory
    cudaError_t (*launch)(const struct lab_gemm *p, cudaStream_t stream);
};

template <class S> static void consider(const struct lab_gemm *p, choice *best)
{
    tile_stream_k s;
    const double time = decompose<S>(p, &s);
    if (time < best->time)
        *best = {time, s.blocks > 0 ? s.flag_bytes() + 2 * s.blocks * S::PARTIAL_BYTES : 0,
                 launch_shape<S>};
}

static choice choose(const struct lab_gemm *p)
{
    choice best = {1e300, 0, NULL};
    consider<shape<12, 2, 2>>(p, &best); // 96 x 128
    consider<shape<8, 2, 2>>(p, &best);  // 64 x 128, for few rows
    consider<shape<8, 4, 1>>(p, &best);  // 128 x 64, for few columns
    return best;
}

static size_t workspace(const struct lab_gemm *p)
{
    return choose(p).bytes;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    return choose(p).launch(p, stream);
}

LAB_EXPORT(gemm, {"heuristics", launch, workspace, LAB_REPEATABLE});
