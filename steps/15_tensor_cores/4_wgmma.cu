// Step 15.4: wgmma, and warps that specialize. Four warps multiply together, and the tensor cores
// read one operand from shared memory by themselves. There it must lie along k, as A does and B
// does not: so this computes C' = B' A', with B' in registers. One warpgroup brings panels, by TMA,
// and splits A; two multiply. They wait for each other at barriers in shared memory, a pair for
// each stage.
#include "families/gemm.h"
#include "ptx/mbarrier.h"
#include "ptx/tensor.h"
#include "ptx/tensor_map.h"
#include "ptx/wgmma.h"
#include "tile/epilogue.h"
#include "tile/rasterize.h"

constexpr int GROUP = 128;   // threads of a warpgroup
constexpr int CONSUMERS = 2; // warpgroups that multiply, 64 columns of C each
constexpr int THREADS = GROUP * (1 + CONSUMERS);
constexpr int TILE_M = 128, TILE_N = 64 * CONSUMERS; // block tile
constexpr int TILE_K = 32, MMA_K = 8;                // k of a panel: a row of 128 bytes; of wgmma
constexpr int STAGES = 4;
constexpr int AHEAD = 2; // panels that are on their way when one is split, while one is multiplied
constexpr int TILE_BYTES = TILE_M * TILE_K * 4; // of A's tile; of A's small parts; of B's
constexpr int STAGE_BYTES = 3 * TILE_BYTES, BYTES = STAGES * STAGE_BYTES + 1024;
constexpr int RASTER_ROWS = 16; // rows of tiles whose blocks run at the same time
// Registers of a thread. A block begins with 168 each, and hands over what its producers do not
// need.
#define PRODUCER_REGISTERS "40"
#define CONSUMER_REGISTERS "232"

// The barriers of a stage. Full: a panel has come. Split: A's small parts are there, too. Empty: it
// has been multiplied.
struct stage_barriers {
    uint64_t full, split, empty;
};

// Where an element lies in a tile of rows of 32 floats with swizzled chunks, in floats.
static __device__ __forceinline__ int place(int row, int column)
{
    return row * 32 + (column ^ row % 8 * 4);
}

// Brings the panel that begins with first_k: A's tile is (m, k), B's four of (k, 32 columns).
template <bool ALIGNED>
static __device__ __forceinline__ void bring(const struct lab_gemm &p, const CUtensorMap *a_map,
                                             const CUtensorMap *b_map, int first_row, int first_col,
                                             int first_k, float *stage, uint64_t *full)
{
    const unsigned a_tile = ptx_shared_address(stage), b_tile = a_tile + 2 * TILE_BYTES;
    if (ALIGNED && threadIdx.x == 0) {
        ptx_mbarrier_arrive_expecting(full, 2 * TILE_BYTES);
        ptx_tensor_copy(a_tile, a_map, first_row, first_k, full);
#pragma unroll
        for (int i = 0; i < TILE_N / 32; ++i)
            ptx_tensor_copy(b_tile + i * TILE_K * 128, b_map, first_k, first_col + i * 32, full);
    }
    if (!ALIGNED) {
        for (int i = threadIdx.x; i < TILE_M * TILE_K; i += GROUP) {
            const int row = i / TILE_K, k = i % TILE_K;
            const bool is_there = first_row + row < p.m && first_k + k < p.k;
            ptx_copy<1, false>(a_tile + 4 * place(row, k),
                               is_there ? p.a + (size_t)(first_row + row) * p.k + first_k + k : p.a,
                               is_there);
        }
        for (int i = threadIdx.x; i < TILE_K * TILE_N; i += GROUP) {
            const int k = i / TILE_N, col = i % TILE_N;
            const bool is_there = first_k + k < p.k && first_col + col < p.n;
            ptx_copy<1, false>(b_tile + 4 * (col / 32 * TILE_K * 32 + place(k, col % 32)),
                               is_there ? p.b + (size_t)(first_k + k) * p.n + first_col + col : p.b,
                               is_there);
        }
        ptx_mbarrier_arrive_after_copies(full);
    }
}

// The small parts of A's tile, element by element where the elements lie.
static __device__ __forceinline__ void split_tile(const float *stage)
{
    const float4 *const from = (const float4 *)stage + threadIdx.x;
    float4 *const to = (float4 *)(stage + TILE_BYTES / 4) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < TILE_BYTES / 16; i += GROUP) {
        const float4 x = from[i];
        to[i] = make_float4(ptx_rest_of_tf32(x.x), ptx_rest_of_tf32(x.y), ptx_rest_of_tf32(x.z),
                            ptx_rest_of_tf32(x.w));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads it
}

template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, 1) void gemm(const struct lab_gemm p,
                                                          const __grid_constant__ CUtensorMap a_map,
                                                          const __grid_constant__ CUtensorMap b_map)
{
    extern __shared__ float unaligned[];
    __shared__ struct stage_barriers barriers[STAGES];
    float *const shared = unaligned + (-ptx_shared_address(unaligned) & 1023) / 4;
    const int panels = (p.k - 1) / TILE_K + 1;
    int first_row, first_col;
    tile_rasterize((p.m - 1) / TILE_M + 1, (p.n - 1) / TILE_N + 1, RASTER_ROWS, blockIdx.x,
                   &first_row, &first_col);
    first_row *= TILE_M;
    first_col *= TILE_N;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx_mbarrier_make(&barriers[i].full, ALIGNED ? 1 : GROUP);
            ptx_mbarrier_make(&barriers[i].split, GROUP);
            ptx_mbarrier_make(&barriers[i].empty, CONSUMERS * GROUP);
        }
        ptx_mbarriers_made();
    }
    __syncthreads();
    if (threadIdx.x < GROUP) { // the producers
        asm volatile("setmaxnreg.dec.sync.aligned.u32 " PRODUCER_REGISTERS ";");
        for (int panel = 0; panel < panels + AHEAD; ++panel) {
            if (panel < panels) {
                struct stage_barriers *const to = &barriers[panel % STAGES];
                ptx_mbarrier_wait(&to->empty, (panel / STAGES & 1) ^ 1);
                bring<ALIGNED>(p, &a_map, &b_map, first_row, first_col, panel * TILE_K,
                               shared + panel % STAGES * STAGE_BYTES / 4, &to->full);
            }
            const int arrived = panel - AHEAD;
            if (arrived >= 0) {
                struct stage_barriers *const of = &barriers[arrived % STAGES];
                ptx_mbarrier_wait(&of->full, arrived / STAGES & 1);
                split_tile(shared + arrived % STAGES * STAGE_BYTES / 4);
                ptx_mbarrier_arrive(&of->split);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 " CONSUMER_REGISTERS ";");
    const int consumer = threadIdx.x / GROUP - 1, lane = threadIdx.x % 32;
    const int g = lane / 4, t = lane % 4, warp = threadIdx.x % GROUP / 32;
    const int own_col = 64 * consumer + 16 * warp + g; // of the block tile, and 8 further
    float sum[64] = {}; // (8 rows of C each, then as sums of ptx_mma_tf32(), transposed)
    for (int panel = 0; panel < panels; ++panel) {
        struct stage_barriers *const of = &barriers[panel % STAGES];
        const float *const stage = shared + panel % STAGES * STAGE_BYTES / 4;
        const float *const b_tile = stage + 2 * TILE_BYTES / 4 + own_col / 32 * TILE_K * 32;
        const unsigned a_tile = ptx_shared_address(stage);
        float b[TILE_K / MMA_K][4], b_small[TILE_K / MMA_K][4], of_panel[64];
        ptx_mbarrier_wait(&of->full, panel / STAGES & 1);
#pragma unroll
        for (int i = 0; i < TILE_K / MMA_K; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                b[i][j] = b_tile[place(i * MMA_K + t + j / 2 * 4, own_col % 32 + j % 2 * 8)];
                b_small[i][j] = ptx_rest_of_tf32(b[i][j]);
            }
        ptx_mbarrier_wait(&of->split, panel / STAGES & 1);
        ptx_wgmma_begin();
#pragma unroll
        for (int i = 0; i < TILE_K / MMA_K; ++i) {
            const uint64_t large = ptx_wgmma_descriptor<4 * TILE_K>(a_tile + i * MMA_K * 4);
            const uint64_t small =
                ptx_wgmma_descriptor<4 * TILE_K>(a_tile + TILE_BYTES + i * MMA_K * 4);
            ptx_wgmma_tf32(of_panel, b_small[i], large, i > 0);
            ptx_wgmma_tf32(of_panel, b[i], small, true);
            ptx_wgmma_tf32(of_panel, b[i], large, true);
        }
        ptx_wgmma_end();
        ptx_mbarrier_arrive(&of->empty);
#pragma unroll
        for (int i = 0; i < 64; ++i)
            sum[i] += of_panel[i];
    }
    unsigned long long again = 0; // a bit for each sum that is not finite, see 15.3
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        const int row = first_row + i / 4 * 8 + 2 * t + i % 2;
        const int col = first_col + own_col + i % 4 / 2 * 8;
        if (row < p.m && col < p.n && isfinite(sum[i]))
            tile_store(&p.c[(size_t)row * p.n + col], sum[i], p.alpha, p.beta);
        else if (row < p.m && col < p.n)
            again |= 1ull << i;
    }
#pragma unroll 1
    for (; again; again &= again - 1) {
        const int i = __ffsll(again) - 1, row = first_row + i / 4 * 8 + 2 * t + i % 2;
        const int col = first_col + own_col + i % 4 / 2 * 8;
        float in_fp32 = 0.0f;
#pragma unroll 1
        for (int l = 0; l < p.k; ++l)
            in_fp32 += p.a[(size_t)row * p.k + l] * p.b[(size_t)l * p.n + col];
        tile_store(&p.c[(size_t)row * p.n + col], in_fp32, p.alpha, p.beta);
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    const bool is_aligned = p->n % 4 == 0 && p->k % 4 == 0; // rows of A and B, as TMA needs them
    const auto kernel = is_aligned ? gemm<true> : gemm<false>;
    CUtensorMap a = {}, b = {};
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (status == cudaSuccess && is_aligned)
        status = ptx_tensor_map_make(&a, p->a, p->m, p->k, p->k, TILE_M, TILE_K);
    if (status == cudaSuccess && is_aligned)
        status = ptx_tensor_map_make(&b, p->b, p->k, p->n, p->n, TILE_K, 32);
    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, THREADS, BYTES, stream>>>(*p, a, b);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"tf32_wgmma", launch, NULL, LAB_REPEATABLE | LAB_SHOWS_ERROR});
