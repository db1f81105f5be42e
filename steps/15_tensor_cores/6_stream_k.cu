// Step 15.6: stream-K on tensor cores. The tiles beyond the whole waves are divided by iterations,
// as in 14.4, among one block for each multiprocessor, so that all of them are at work until the
// end, also where a matrix has fewer tiles than multiprocessors. Producer and consumers go through
// the same work units. Each consumer stores its own part of a tile's partial sums, and adds those
// it waits for.
#include "families/gemm.h"
#include "ptx/mbarrier.h"
#include "ptx/named_barrier.h"
#include "ptx/tensor_map.h"
#include "ptx/wgmma.h"
#include "tile/epilogue.h"
#include "tile/halves.h"
#include "tile/rasterize.h"
#include "tile/stream_k.h"

constexpr int GROUP = 128;   // threads of a warpgroup
constexpr int CONSUMERS = 2; // warpgroups that multiply, 64 rows of C each
constexpr int THREADS = GROUP * (1 + CONSUMERS);
constexpr int TILE_M = 64 * CONSUMERS, TILE_N = 192; // block tile
constexpr int TILE_K = 32, MMA_K = 16;               // k of a panel; of wgmma
constexpr int STAGES = 5;
constexpr int ROW_BYTES = 2 * TILE_K * 2; // of a tile: 32 k of large parts, 32 of small ones
constexpr int A_BYTES = TILE_M * ROW_BYTES, B_BYTES = TILE_N * ROW_BYTES;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES, BYTES = STAGES * STAGE_BYTES + 1024;
constexpr int RASTER_ROWS = 16; // rows of tiles whose blocks run at the same time
constexpr int MOST_PARTS = 8;   // of a tile, on average: its last block adds them one after another
constexpr size_t PARTIAL_FLOATS = TILE_M * TILE_N;
#define PRODUCER_REGISTERS "24"
#define CONSUMER_REGISTERS "240"

struct maps {
    CUtensorMap a, b;
};

// The barriers of a stage. Full: a panel has come. Empty: it has been multiplied.
struct stage_barriers {
    uint64_t full, empty;
};

// The first row and column of a tile.
static __device__ __forceinline__ void rasterize(const tile_stream_k &s, int tile, int *row,
                                                 int *col)
{
    tile_rasterize(s.tiles_down, s.tiles_across, RASTER_ROWS, tile, row, col);
    *row *= TILE_M;
    *col *= TILE_N;
}

static __global__ __launch_bounds__(THREADS, 1) void gemm(const struct lab_gemm p,
                                                          const unsigned *a_largest,
                                                          const unsigned *b_largest,
                                                          const __grid_constant__ maps from,
                                                          const tile_stream_k s, void *partials)
{
    extern __shared__ float unaligned[];
    __shared__ struct stage_barriers barriers[STAGES];
    const unsigned shared = (ptx_shared_address(unaligned) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx_mbarrier_make(&barriers[i].full, 1);
            ptx_mbarrier_make(&barriers[i].empty, CONSUMERS * GROUP);
        }
        ptx_mbarriers_made();
    }
    __syncthreads();
    // A block goes through its iterations, which are panels, from the last tile to the first.
    const int block = blockIdx.x, begin = block < s.blocks ? s.first_iteration(block) : 0;
    int end = block < s.blocks ? s.first_iteration(block + 1) : s.iterations;
    int panel = 0;             // of all of the block's
    if (threadIdx.x < GROUP) { // one thread of this warpgroup brings all panels
        asm volatile("setmaxnreg.dec.sync.aligned.u32 " PRODUCER_REGISTERS ";");
        while (threadIdx.x == 0 && end > begin) {
            const tile_work_unit unit = tile_work_unit_at(s, block, end);
            int first_row, first_col;
            rasterize(s, unit.tile, &first_row, &first_col);
            for (int i = 0; i < unit.iterations; ++i, ++panel) {
                struct stage_barriers *const of = &barriers[panel % STAGES];
                const unsigned stage = shared + panel % STAGES * STAGE_BYTES;
                ptx_mbarrier_wait(&of->empty, (panel / STAGES & 1) ^ 1);
                ptx_mbarrier_arrive_expecting(&of->full, STAGE_BYTES);
                const int at = (unit.first + i) * 2 * TILE_K;
                ptx_tensor_copy(stage, &from.a, first_row, at, &of->full);
                ptx_tensor_copy(stage + A_BYTES, &from.b, first_col, at, &of->full);
            }
            end -= unit.iterations;
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 " CONSUMER_REGISTERS ";");
    const int thread = threadIdx.x - GROUP, consumer = thread / GROUP, lane = thread % 32;
    // Consumers take turns in starting products, so that one of them adds up, and waits, while the
    // tensor cores have products of the other. The turn of consumer c is named barrier 1 + c. Here
    // the first turn is given; the last one is taken by nobody.
    if (consumer == 1)
        ptx_named_barrier_arrive(1, CONSUMERS * GROUP);
    while (end > begin) {
        const tile_work_unit unit = tile_work_unit_at(s, block, end);
        float sum[96] = {}; // as ptx_wgmma_f16() has it
        for (int i = 0; i < unit.iterations; ++i, ++panel) {
            struct stage_barriers *const of = &barriers[panel % STAGES];
            const unsigned stage = shared + panel % STAGES * STAGE_BYTES;
            float of_panel[96]; // a tensor core cuts its sums off: 32 k are added up there, no more
            ptx_mbarrier_wait(&of->full, panel / STAGES & 1);
            ptx_named_barrier_sync(1 + consumer, CONSUMERS * GROUP);
            ptx_wgmma_begin();
#pragma unroll
            for (int k = 0; k < TILE_K; k += MMA_K) {
                const unsigned a_tile = stage + consumer * (A_BYTES / CONSUMERS) + k * 2;
                const unsigned b_tile = stage + A_BYTES + k * 2;
                const uint64_t a = ptx_wgmma_descriptor<ROW_BYTES>(a_tile);
                const uint64_t a_small = ptx_wgmma_descriptor<ROW_BYTES>(a_tile + ROW_BYTES / 2);
                const uint64_t b = ptx_wgmma_descriptor<ROW_BYTES>(b_tile);
                const uint64_t b_small = ptx_wgmma_descriptor<ROW_BYTES>(b_tile + ROW_BYTES / 2);
                ptx_wgmma_f16(of_panel, a_small, b, k > 0);
                ptx_wgmma_f16(of_panel, a, b_small, true);
                ptx_wgmma_f16(of_panel, a, b, true);
            }
            ptx_wgmma_commit();
            ptx_named_barrier_arrive(1 + (1 - consumer), CONSUMERS * GROUP);
            ptx_wgmma_wait<0>();
            ptx_mbarrier_arrive(&of->empty);
#pragma unroll
            for (int j = 0; j < 96; ++j)
                sum[j] += of_panel[j];
        }
        const bool is_last = unit.first + unit.iterations == s.iterations; // of the tile
        if (!is_last) {
            float *const partial =
                tile_partial_sums(partials, s, block, end, PARTIAL_FLOATS) + thread;
#pragma unroll
            for (int i = 0; i < 96; ++i)
                partial[i * CONSUMERS * GROUP] = sum[i];
            __threadfence(); // the partial sums are there before the flag says so
            ptx_named_barrier_sync(3 + consumer, GROUP);
            if (thread % GROUP == 0)
                atomicAdd(&((unsigned *)partials)[block], 1);
        } else {
            const int first_block = unit.first == 0 ? block : s.block_of(unit.tile * s.iterations);
            for (int other = block - 1; other >= first_block; --other) {
                // No wait without end: these blocks come first, one for each multiprocessor, and
                // wait for lower numbers, which have stored before they wait.
                if (thread % GROUP == 0) {
                    while (atomicAdd(&((unsigned *)partials)[other], 0) < CONSUMERS)
                        ;
                    __threadfence(); // the partial sums are read after this fence
                }
                ptx_named_barrier_sync(3 + consumer, GROUP);
                const float *const partial =
                    tile_partial_sums(partials, s, other, s.first_iteration(other + 1),
                                      PARTIAL_FLOATS) +
                    thread;
#pragma unroll
                for (int i = 0; i < 96; ++i)
                    sum[i] += __ldcg(&partial[i * CONSUMERS * GROUP]);
            }
            int first_row, first_col;
            rasterize(s, unit.tile, &first_row, &first_col);
            const int warp = thread % GROUP / 32;
            const int own_row = first_row + 64 * consumer + 16 * warp + lane / 4;
            const int own_col = first_col + lane % 4 * 2;
            unsigned again[96 / 32] = {}; // a bit for each sum that is not finite, see 15.3
#pragma unroll
            for (int i = 0; i < 96; ++i) {
                const int row = own_row + i % 4 / 2 * 8, col = own_col + i / 4 * 8 + i % 2;
                if (row >= p.m || col >= p.n)
                    continue;
                const float scaled =
                    ldexpf(sum[i], -tile_exponent(a_largest[row]) - tile_exponent(b_largest[col]));
                if (isfinite(scaled))
                    tile_store(&p.c[(size_t)row * p.n + col], scaled, p.alpha, p.beta);
                else
                    again[i / 32] |= 1u << i % 32;
            }
#pragma unroll
            for (int word = 0; word < 96 / 32; ++word)
#pragma unroll 1
                for (; again[word]; again[word] &= again[word] - 1) {
                    const int i = 32 * word + __ffs(again[word]) - 1;
                    const int row = own_row + i % 4 / 2 * 8, col = own_col + i / 4 * 8 + i % 2;
                    float in_fp32 = 0.0f;
#pragma unroll 1
                    for (int l = 0; l < p.k; ++l)
                        in_fp32 += p.a[(size_t)row * p.k + l] * p.b[(size_t)l * p.n + col];
                    tile_store(&p.c[(size_t)row * p.n + col], in_fp32, p.alpha, p.beta);
                }
        }
        end -= unit.iterations;
    }
}

// The tiles beyond the whole waves are divided. (14.4 adds those of one whole wave; here that is
// slower where there are many waves.)
static tile_stream_k decompose(const struct lab_gemm *p)
{
    const int wave = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    tile_stream_k s = {(p->m - 1) / TILE_M + 1, (p->n - 1) / TILE_N + 1, (p->k - 1) / TILE_K + 1};
    const int tiles = s.tiles_down * s.tiles_across, rest = tiles % wave;
    if (rest > 0) {
        s.tiles = rest;
        s.blocks = min(wave, s.tiles * min(max(s.iterations / 2, 1), MOST_PARTS));
        s.fixup = true;
    }
    return s;
}

// The halves come first in scratch memory, then what a tile_stream_k has there.
static size_t halves_bytes(const struct lab_gemm *p)
{
    return (tile_halves_bytes(p) + 255) / 256 * 256;
}

static size_t workspace(const struct lab_gemm *p)
{
    const tile_stream_k s = decompose(p);
    return halves_bytes(p) + s.flag_bytes() + 2 * s.blocks * PARTIAL_FLOATS * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const tile_stream_k s = decompose(p);
    const int blocks = s.blocks + s.tiles_down * s.tiles_across - s.tiles;
    char *const partials = (char *)p->workspace + halves_bytes(p);
    tile_halves a, b;
    maps from = {};
    cudaError_t status = tile_split_operands(p, stream, &a, &b);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(partials, 0, s.flag_bytes(), stream); // no partial sums are there
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (status == cudaSuccess)
        status = ptx_tensor_map_make(&from.a, a.parts, p->m, a.row, a.row, TILE_M, 2 * TILE_K);
    if (status == cudaSuccess)
        status = ptx_tensor_map_make(&from.b, b.parts, p->n, b.row, b.row, TILE_N, 2 * TILE_K);
    if (status != cudaSuccess)
        return status;
    gemm<<<blocks, THREADS, BYTES, stream>>>(*p, a.largest, b.largest, from, s, partials);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"halves_stream_k", launch, workspace, LAB_REPEATABLE | LAB_SHOWS_ERROR});
