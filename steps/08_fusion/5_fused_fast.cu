// Step 08, stage 5: scale and norms in the exponent. The product itself is then the exponent of a
// power of 2, one instruction: the sums start at the targets' norms, and those of the sources,
// small about a centre near the targets, wait until all is summed. What is left is the product: of
// 12 x 8 values a thread, 5 vectors are read for 96 multiply-adds, not 4 for 64. Their order suits
// the two banks of registers, and the next dimension's values are read ahead.
#include "families/kernel_summation.h"
#include "ptx/exp2.h"
#include "ptx/shared.h"
#include "summation/by_differences.h"
#include "summation/lanes.h"
#include "tile/fragment.h"
#include "tile/sum_partials.h"

#include <cuda_pipeline.h>

constexpr int ROWS = 12, COLS = 8;                        // sources and targets of a thread
constexpr int WARPS = 4, THREADS = 32 * WARPS;            // of a block, along the targets
constexpr int BLOCKS = 3, TILE_M = 4 * ROWS;              // on an SM at once; sources of a block
constexpr int WARP_N = 8 * COLS, TILE_N = WARPS * WARP_N; // targets of a warp, of its block
constexpr int LD_A = TILE_M + 4, LD_B = WARP_N;           // between dimensions: see prepare()
constexpr int TILE_K = 8, PANEL = TILE_K * WARP_N, HEAD = 2 * WARP_N; // of a warp's targets
constexpr float SMALL = 32.0f, LARGE = 1e20f; // 2^SMALL times less than LARGE does not overflow

// What the kernels need, as in stage 08.4: whole tiles, and one tile of zeros that follows them.
struct plan {
    int m, n, k, padded_k;            // sources, targets, dimensions, as a multiple of TILE_K
    int tiles, shares, tiles_a_block; // of targets; blocks that share them where there are few
    float scale;                      // log2(e) / (2 h^2)
    float *panels; // (tile, 8 dimensions, warp, dimension, target): every warp reads on and on
    float *heads;  // (tile, warp, HEAD): norms, then weights
    float *centre; // (padded_k), about which targets and all norms are taken
    float *sums;   // (shares, m), or the result itself
    size_t shared_bytes, workspace_bytes;
};

// What shared memory holds, after the sources themselves, (padded_k, LD_A).
struct space {
    float a_norm[TILE_M], row[WARPS][TILE_M];           // what each warp has of the sums
    float panel[WARPS][2][PANEL], head[WARPS][2][HEAD]; // one is read, one is being filled
};

// Targets in the order in which warps read them, times 2 scale, about a centre, the mean of the
// first 8: norms are then small and cancel less. With it c, a' = a - c, b' = b - c and s = scale,
//     -s |a - b|^2 = -s |a'|^2 + a . 2 s b' - s b' . (b' + 2 c)
// the last of which is the target's norm here. A warp takes one target.
static __global__ void pack_targets(const float *__restrict__ b, const float *__restrict__ w,
                                    struct plan p)
{
    const int target = (int)(blockIdx.x * WARPS + threadIdx.x / 32);
    const int tile = target / TILE_N, warp = target / WARP_N; // of all warps of all tiles
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < p.padded_k; i += 32) {
        float centre = 0.0f;
#pragma unroll 4
        for (int j = 0; i < p.k && j < min(p.n, 8); ++j) // whose mean is near enough
            centre += b[(size_t)j * p.k + i];
        centre /= (float)min(p.n, 8);
        const float own = i < p.k && target < p.n ? b[(size_t)target * p.k + i] - centre : 0.0f;
        if (target == 0)
            p.centre[i] = centre;
        sum += own * (own + 2.0f * centre);
        const size_t panel = ((size_t)tile * p.padded_k + i) / TILE_K * WARPS + warp % WARPS;
        p.panels[panel * PANEL + i % TILE_K * WARP_N + target % WARP_N] = 2.0f * p.scale * own;
    }
    sum = tile_warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        float *head = &p.heads[(size_t)warp * HEAD];
        head[target % WARP_N ^ 1] = -p.scale * sum; // pairs swapped: see fused()
        head[WARP_N + target % WARP_N] = target < p.n ? w[target] : 0.0f;
    }
}

// As in stage 08.4, but norms are about the centre. Returns whether they and the weights are small.
static __device__ __noinline__ bool prepare(struct plan p, const float *__restrict__ a,
                                            int first_row, int first_tile, int end_tile)
{
    extern __shared__ __align__(16) float sources[];
    struct space &space = *(struct space *)&sources[p.padded_k * LD_A];
    float norm[TILE_M / 16] = {}, most = 0.0f; // the largest weight
#pragma unroll 2
    for (int i = first_tile * TILE_N + threadIdx.x * 4; i < end_tile * TILE_N; i += THREADS * 4) {
        const float4 w = __ldg((const float4 *)&p.heads[i + (size_t)(i / WARP_N + 1) * WARP_N]);
        most = fmaxf(fmaxf(most, fmaxf(fabsf(w.x), fabsf(w.y))), fmaxf(fabsf(w.z), fabsf(w.w)));
    }
    bool small = most < LARGE;
    const int first_k = threadIdx.x % 8, source = threadIdx.x / 8, first = first_row + source;
#pragma unroll 4
    for (int k = first_k; k < p.padded_k; k += 8)
        for (int s = 0; s < TILE_M; s += 16) {
            const float own = k < p.k ? a[(size_t)min(first + s, p.m - 1) * p.k + k] : 0.0f;
            const float from_centre = own - __ldg(&p.centre[k]);
            sources[k * LD_A + source + s] = own;
            norm[s / 16] += from_centre * from_centre;
        }
    for (int s = 0; s < TILE_M; s += 16) {
        for (int apart : {1, 2, 4}) // the lanes of a source
            norm[s / 16] += __shfl_xor_sync(0xFFFFFFFF, norm[s / 16], apart);
        if (first_k == 0)
            space.a_norm[source + s] = -p.scale * norm[s / 16]; // as in the exponent
        small = small && p.scale * norm[s / 16] < SMALL;        // not so for NaN
    }
    return __syncthreads_and(small); // sources and norms are there
}

// A panel's multiply-adds, along one row, back along the next: two of the three operands of each
// are those of the one before or come from different banks. The compiler keeps this order best.
static __device__ __forceinline__ void multiply(float (&sum)[ROWS][COLS], const float *sources,
                                                const float *targets)
{
    float a_fragment[2][ROWS], b_fragment[2][COLS];
    tile_load_fragment(a_fragment[0], sources, 16);
    tile_load_fragment(b_fragment[0], targets, 32);
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        if (i + 1 < TILE_K) {
            tile_load_fragment(a_fragment[(i + 1) % 2], sources + (i + 1) * LD_A, 16);
            tile_load_fragment(b_fragment[(i + 1) % 2], targets + (i + 1) * LD_B, 32);
        }
        for (int x = 0; x < ROWS * COLS; ++x) {
            const int r = x / COLS ^ 3, q = x / COLS % 2 ? x % COLS : COLS - 1 - x % COLS;
            sum[r][q] = fmaf(a_fragment[i % 2][r], b_fragment[i % 2][q], sum[r][q]);
        }
    }
}

// row_sum += exp2(sum) * weights. Where the sources' norms are small, they wait until all is
// summed, 2^(x + y) = 2^x 2^y; else they are added here. What rounding made positive counts as 0.
static __device__ __forceinline__ void evaluate(float (&row_sum)[ROWS],
                                                const float (&sum)[ROWS][COLS],
                                                const float *weights, const float *a_norm,
                                                bool is_small)
{
    float weight[COLS], norm[ROWS];
    tile_load_fragment(weight, weights, 32);
    tile_load_fragment(norm, a_norm, 16);
    for (int q = 0; q < COLS; ++q)
        for (int r = 0; r < ROWS; ++r) {
            const float exponent = is_small ? sum[r][q] : fminf(sum[r][q] + norm[r], 0.0f);
            row_sum[r] = fmaf(ptx_exp2(exponent), weight[q], row_sum[r]);
        }
}

// As in stage 08.4, a block keeps its sources, and each warp copies the targets it alone reads.
static __global__ __launch_bounds__(THREADS, BLOCKS) void fused(const float *__restrict__ a,
                                                                struct plan p)
{
    extern __shared__ __align__(16) float sources[];
    struct space &space = *(struct space *)&sources[p.padded_k * LD_A];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lane_m = (lane % 2 + lane / 4 % 2 * 2) * 4; // bits 0 and 2 choose the row,
    const int lane_n = (lane / 2 % 2 + lane / 8 * 2) * 4; // the other three the column
    const int first_row = (int)blockIdx.x * TILE_M, first_tile = (int)blockIdx.y * p.tiles_a_block;
    const int end_tile = min(first_tile + p.tiles_a_block, p.tiles); // this block's share ends
    const size_t first_panel = (size_t)first_tile * p.padded_k / TILE_K * WARPS + warp;
    const float *from = p.panels + first_panel * PANEL + 4 * lane;
    const unsigned to = ptx_shared_address(&space.panel[warp][0][4 * lane]); // 32 bits
    unsigned other = 0; // the panel to fill, in bytes; after copy_panel() the one to read
    const auto copy_panel = [&] {
        for (int i = 0; i < PANEL; i += 128)
            ptx_copy16(to + other + i * (unsigned)sizeof(float), from + i);
        from += WARPS * PANEL;
        other ^= PANEL * sizeof(float); // the two panels take turns
        __pipeline_commit();
    };
    const auto copy_head = [&](int tile) {
        ptx_copy16(ptx_shared_address(&space.head[warp][tile % 2][4 * lane]),
                   &p.heads[((size_t)tile * WARPS + warp) * HEAD + 4 * lane]);
    };
    copy_head(first_tile);
    copy_panel(); // on its way while the sources are loaded
    const bool small = prepare(p, a, first_row, first_tile, end_tile);
    float row_sum[ROWS] = {}; // over all targets of this block
    for (int tile = first_tile; tile < end_tile; ++tile) {
        const float *head = &space.head[warp][tile % 2][lane_n], *at = &sources[lane_m];
        __pipeline_wait_prior(0);
        __syncwarp(); // this head is there, and no lane reads the other one any more
        copy_head(tile + 1);
        // The sums start at the norms. A bank of registers gives one operand a cycle: with pairs
        // swapped, the sum for an even target lies in an odd register, in the other bank.
        float sum[ROWS][COLS];
        for (int i = 0; i < ROWS * COLS; i += 4) {
            float *s = &sum[i / COLS][i % COLS];
            ptx_read4(head + i % COLS * 8, s[1], s[0], s[3], s[2]);
        }
        for (int panel = 0; panel < p.padded_k / TILE_K; ++panel, at += TILE_K * LD_A) {
            __pipeline_wait_prior(0);
            __syncwarp(); // this panel is there, and no lane reads the other one any more
            copy_panel();
            multiply(sum, at, &space.panel[warp][0][other / sizeof(float) + lane_n]);
        }
        small ? evaluate(row_sum, sum, head + WARP_N, &space.a_norm[lane_m], true)
              : evaluate(row_sum, sum, head + WARP_N, &space.a_norm[lane_m], false);
    }
    summation_add_lanes(row_sum, &space.row[warp][lane_m], lane_n == 0);
    __syncthreads(); // the sums of all warps are there
    const int row = threadIdx.x;
    if (row >= TILE_M || first_row + row >= p.m)
        return;
    float sum = space.row[0][row] + space.row[1][row] + space.row[2][row] + space.row[3][row];
    sum *= small ? ptx_exp2(space.a_norm[row]) : 1.0f; // the norms that have waited
    p.sums[(size_t)blockIdx.y * p.m + first_row + row] = sum;
}

// No tiles where the sources do not fit in shared memory, or the scale makes targets infinite.
static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k, ((p->k - 1) / TILE_K + 1) * TILE_K};
    plan.shared_bytes = sizeof(float) * LD_A * plan.padded_k + sizeof(struct space);
    plan.scale = -lab_exponent_factor(p->h) * (float)M_LOG2E;
    if (plan.shared_bytes > (size_t)lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) ||
        plan.scale > 1e15f)
        return plan;
    plan.tiles = (p->n - 1) / TILE_N + 1;
    const int at_once = BLOCKS * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int wanted = (at_once - 1) / ((p->m - 1) / TILE_M + 1) + 1; // shares that fill the GPU
    plan.tiles_a_block = (plan.tiles - 1) / wanted + 1;
    plan.shares = (plan.tiles - 1) / plan.tiles_a_block + 1; // none of them empty
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.panels = (float *)p->workspace;
    plan.heads = plan.panels + (size_t)(plan.tiles + 1) * TILE_N * plan.padded_k;
    plan.centre = plan.heads + (size_t)(plan.tiles + 1) * WARPS * HEAD;
    plan.sums = partials ? plan.centre + plan.padded_k : p->v;
    plan.workspace_bytes = (plan.centre + plan.padded_k + partials - plan.panels) * sizeof(float);
    return plan;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return plan_of(p).workspace_bytes;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    if (plan.tiles == 0) { // it does not fit
        summation_by_differences<<<p->m, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
        return cudaGetLastError();
    }
    const dim3 grid((p->m - 1) / TILE_M + 1, plan.shares);
    cudaFuncSetAttribute(fused, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes);
    pack_targets<<<(plan.tiles + 1) * (TILE_N / WARPS), THREADS, 0, stream>>>(p->b, p->w, plan);
    fused<<<grid, THREADS, plan.shared_bytes, stream>>>(p->a, plan);
    if (plan.shares > 1)
        tile_sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums,
                                                                    p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"fused_fast", launch, workspace, LAB_REPEATABLE});
