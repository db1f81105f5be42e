// Step 08, stage 6: the product on tensor cores. Points are split in two halves each, as in stage
// 15.5, so three products of halves are as accurate as FP32, and wgmma leaves them in registers
// where they are evaluated. A block keeps its sources as halves in shared memory; targets are
// packed as shared memory holds them, so that one bulk copy brings a panel. An evaluation is one
// multiply-add, one ex2 and one multiply-add. Four warpgroups of an SM are at different points:
// while the products of one run, another one evaluates.
#include "families/kernel_summation.h"
#include "ptx/bulk.h"
#include "ptx/exp2.h"
#include "ptx/mbarrier.h"
#include "ptx/wgmma.h"
#include "summation/by_differences.h"
#include "tile/split.h"
#include "tile/sum_partials.h"

constexpr int GROUP = 128, GROUP_M = 64;               // threads of a warpgroup, and its sources
constexpr int TILE_N = 128, VALUES = 64;               // targets of a tile; their sums of a thread
constexpr int TILE_K = 32, MMA_K = 16;                 // k of a panel: 64 bytes; of wgmma
constexpr int ROW = TILE_K * (int)sizeof(half);        // bytes of a point in a panel
constexpr int PART = TILE_N * ROW, STAGE = 2 * PART;   // large parts of a panel; all of it
constexpr int MOST_STAGES = 5, HEADS = MOST_STAGES + 1; // one more: a head is read longer
constexpr int PIECE = 4;                               // panels whose sums stay in tensor cores
constexpr int SHORT_K = PIECE * TILE_K;                // one piece: two blocks fit on an SM
constexpr int PACK_THREADS = 512;
constexpr float SMALL = 32.0f, LARGE = 1e20f; // 2^SMALL times less than LARGE does not overflow
constexpr float HUGE_NORM = 1e37f;            // sums of four numbers below it are finite

// What a tile's evaluation needs beside its products: norms and weights of two neighbours at a
// time, (norm, norm, weight, weight); 1 / its scale, its largest weight, its largest norm.
struct head {
    float4 of_pair[TILE_N / 2], of_tile;
};

// What the kernels need: whole tiles.
struct plan {
    int m, n, k, padded_k;            // sources, targets, dimensions, as a multiple of TILE_K
    int tiles, shares, tiles_a_block; // of targets; blocks that share them where there are few
    int groups, stages;               // warpgroups of a block; panels in its shared memory
    bool takes_turns;                 // whether these hold a tile and more: see fused()
    float scale;                      // log2(e) / (2 h^2)
    char *panels;       // (tile, panel, large or small, target, TILE_K), swizzled
    struct head *heads; // (tile)
    float *centre;      // (padded_k), about which all points and norms are taken
    float *sums;        // (shares, m), or the result itself
    size_t shared_bytes, workspace_bytes;
};

// The barriers of a stage. Full: a panel has come. Empty: it has been multiplied.
struct stage_barriers {
    uint64_t full, empty;
};

// What shared memory holds beside the sources, the panels and the heads.
template <int TILE_M> struct space {
    float a_norm[TILE_M], a_factor[TILE_M]; // -s |a|^2, NaN if it is too large; 2 s / scale
    struct stage_barriers barriers[MOST_STAGES];
    uint64_t turn[2]; // of a warpgroup: the other one's products of a tile are on their way
};

// Four neighbouring dimensions of a point, about the centre; zeros beyond the last one.
static __device__ __forceinline__ float4 read_four(const float *__restrict__ points, int point,
                                                   int k, int first, const float *centre)
{
    const float *const from = points + (size_t)point * k + first;
    float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (k % 4 == 0 && first < k) {
        x = *(const float4 *)from;
    } else {
        x.x = first < k ? from[0] : 0.0f;
        x.y = first + 1 < k ? from[1] : 0.0f;
        x.z = first + 2 < k ? from[2] : 0.0f;
        x.w = first + 3 < k ? from[3] : 0.0f;
    }
    const float4 c = *(const float4 *)&centre[first];
    return make_float4(x.x - c.x, x.y - c.y, x.z - c.z, x.w - c.w);
}

static __device__ __forceinline__ float square(float4 x)
{
    return x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
}

static __device__ __forceinline__ unsigned magnitude(float4 x)
{
    return max(max(tile_magnitude(x.x), tile_magnitude(x.y)),
               max(tile_magnitude(x.z), tile_magnitude(x.w)));
}

// Splits them and stores them where wgmma looks for them: panels of `points` points, large parts
// before small ones, in rows of 64 bytes whose chunks are swizzled, as in stage 15.5.
static __device__ __forceinline__ void write_four(char *panels, int points, int point, int first,
                                                  float4 x, float scale)
{
    const int chunk = first % TILE_K / 8 ^ point / 2 % 4, part = points * ROW;
    char *const to = panels + first / TILE_K * 2 * part + point * ROW + 16 * chunk + first % 8 * 2;
    half2 large[2], small[2];
    tile_split_pair(&large[0], &small[0], x.x, x.y, scale);
    tile_split_pair(&large[1], &small[1], x.z, x.w, scale);
    *(uint2 *)to = *(const uint2 *)large;
    *(uint2 *)(to + part) = *(const uint2 *)small;
}

// Targets about a centre, the mean of the first 8, as halves. All of a tile have one scale, so that
// an evaluation needs no factor for each target. A block takes a tile, eight lanes take a target.
static __global__ __launch_bounds__(PACK_THREADS) void
pack_targets(const float *__restrict__ b, const float *__restrict__ w, struct plan p)
{
    constexpr int TARGETS = PACK_THREADS / 8, WARPS = PACK_THREADS / 32; // at a time; of a block
    extern __shared__ __align__(16) float centre[];
    __shared__ unsigned of_warp[3][WARPS];
    const int tile = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct head *const head = &p.heads[tile];
    for (int i = threadIdx.x; i < p.padded_k; i += PACK_THREADS) {
        float sum = 0.0f;
#pragma unroll 4
        for (int j = 0; i < p.k && j < min(p.n, 8); ++j) // whose mean is near enough
            sum += b[(size_t)j * p.k + i];
        centre[i] = sum / (float)min(p.n, 8);
        if (tile == 0)
            p.centre[i] = centre[i];
    }
    __syncthreads(); // the centre is there
    const int own = threadIdx.x / 8, first_k = threadIdx.x % 8 * 4;
    float norm[TILE_N / TARGETS] = {}, most_norm = 0.0f, most_weight = 0.0f;
    unsigned largest = 0;
#pragma unroll 2
    for (int k = first_k; k < p.padded_k; k += 32)
        for (int i = 0; i < TILE_N / TARGETS; ++i) {
            const int target = tile * TILE_N + own + i * TARGETS;
            if (target >= p.n)
                continue;
            const float4 x = read_four(b, target, p.k, k, centre);
            norm[i] += square(x);
            largest = max(largest, magnitude(x));
        }
    for (int i = 0; i < TILE_N / TARGETS; ++i) {
        for (int apart : {1, 2, 4}) // the lanes of a target
            norm[i] += __shfl_xor_sync(0xFFFFFFFF, norm[i], apart);
        const int in_tile = own + i * TARGETS, target = tile * TILE_N + in_tile;
        const float weight = target < p.n ? w[target] : 0.0f; // nothing is added beyond the last
        float *const pair = &head->of_pair[in_tile / 2].x + in_tile % 2;
        norm[i] *= p.scale;
        if (first_k == 0) {
            pair[0] = -norm[i];
            pair[2] = weight;
        }
        most_norm = fmaxf(most_norm, norm[i] < HUGE_NORM ? norm[i] : INFINITY); // so for NaN, too
        most_weight = fmaxf(most_weight, fabsf(weight));
    }
    const unsigned own_most[] = {largest, __float_as_uint(most_norm), __float_as_uint(most_weight)};
    for (int i = 0; i < 3; ++i) { // magnitudes are in the order of their bits
        const unsigned of_all_lanes = __reduce_max_sync(0xFFFFFFFF, own_most[i]);
        if (lane == 0)
            of_warp[i][warp] = of_all_lanes;
    }
    __syncthreads(); // those of all warps are there
    unsigned most[3];
    for (int i = 0; i < 3; ++i)
        most[i] = __reduce_max_sync(0xFFFFFFFF, of_warp[i][lane % WARPS]);
    const float scale = ldexpf(1.0f, tile_exponent(most[0]));
    if (threadIdx.x == 0)
        head->of_tile = make_float4(ldexpf(1.0f, -tile_exponent(most[0])), __uint_as_float(most[2]),
                                    __uint_as_float(most[1]), 0.0f);
    char *const panels = p.panels + (size_t)tile * (p.padded_k / TILE_K) * STAGE;
#pragma unroll 2
    for (int k = first_k; k < p.padded_k; k += 32)
        for (int i = 0; i < TILE_N / TARGETS; ++i) {
            const int in_tile = own + i * TARGETS, target = tile * TILE_N + in_tile;
            const float4 x = target < p.n ? read_four(b, target, p.k, k, centre)
                                          : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            write_four(panels, TILE_N, in_tile, k, x, scale);
        }
}

// The sources of a block as halves, each with a scale of its own, to shared memory, and their
// norms. Returns whether these and the weights are small. Where a norm of a source or of any target
// is too large, infinite or NaN, the source's norm is NaN here: it is summed by differences.
template <int TILE_M>
static __device__ __noinline__ bool prepare(struct plan p, const float *__restrict__ a,
                                            char *sources, struct space<TILE_M> *space,
                                            int first_row, int first_tile, int end_tile)
{
    constexpr int THREADS = TILE_M / GROUP_M * GROUP, SOURCES = THREADS / 8; // at a time
    bool small = true, huge = false;
    for (int tile = first_tile + (int)threadIdx.x; tile < end_tile; tile += THREADS) {
        const float4 of_tile = p.heads[tile].of_tile;
        small = small && of_tile.y < LARGE;
        huge = huge || of_tile.z == INFINITY;
    }
    const int own = threadIdx.x / 8, first_k = threadIdx.x % 8 * 4;
    float norm[TILE_M / SOURCES] = {}, scale[TILE_M / SOURCES];
    unsigned largest[TILE_M / SOURCES] = {};
#pragma unroll 1
    for (int k = first_k; k < p.padded_k; k += 32)
#pragma unroll
        for (int i = 0; i < TILE_M / SOURCES; ++i) {
            const int row = min(first_row + own + i * SOURCES, p.m - 1);
            const float4 x = read_four(a, row, p.k, k, p.centre);
            norm[i] += square(x);
            largest[i] = max(largest[i], magnitude(x));
        }
    huge = __syncthreads_or(huge);
#pragma unroll
    for (int i = 0; i < TILE_M / SOURCES; ++i) {
        for (int apart : {1, 2, 4}) { // the lanes of a source
            norm[i] += __shfl_xor_sync(0xFFFFFFFF, norm[i], apart);
            largest[i] = max(largest[i], __shfl_xor_sync(0xFFFFFFFF, largest[i], apart));
        }
        norm[i] *= p.scale;
        scale[i] = ldexpf(1.0f, tile_exponent(largest[i]));
        small = small && norm[i] < SMALL && !huge; // not so for NaN
        if (first_k == 0) {
            space->a_norm[own + i * SOURCES] = norm[i] < HUGE_NORM && !huge ? -norm[i] : NAN;
            space->a_factor[own + i * SOURCES] =
                ldexpf(2.0f * p.scale, -tile_exponent(largest[i]));
        }
    }
#pragma unroll 1
    for (int k = first_k; k < p.padded_k; k += 32)
#pragma unroll
        for (int i = 0; i < TILE_M / SOURCES; ++i) {
            const int row = min(first_row + own + i * SOURCES, p.m - 1);
            write_four(sources, TILE_M, own + i * SOURCES, k,
                       read_four(a, row, p.k, k, p.centre), scale[i]);
        }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads the sources
    return __syncthreads_and(small);                              // they and the norms are there
}

// row_sum += exp2(exponent) * weights, for two rows, as in stage 08.5: where the sources' norms are
// small they wait until all is summed. What rounding made positive counts as 0.
static __device__ __forceinline__ void evaluate(float (&row_sum)[2], const float (&sum)[VALUES],
                                                const float4 *of_pair, const float (&factor)[2],
                                                const float (&norm)[2], bool is_small)
{
#pragma unroll
    for (int i = 0; i < VALUES; i += 4) { // two neighbouring targets, and those for the next row
        const float4 pair = of_pair[i];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            float even = fmaf(sum[i + 2 * r], factor[r], pair.x);
            float odd = fmaf(sum[i + 2 * r + 1], factor[r], pair.y);
            even = is_small ? even : fminf(even + norm[r], 0.0f);
            odd = is_small ? odd : fminf(odd + norm[r], 0.0f);
            row_sum[r] = fmaf(ptx_exp2(even), pair.z, row_sum[r]);
            row_sum[r] = fmaf(ptx_exp2(odd), pair.w, row_sum[r]);
        }
    }
}

// The sources of a warp whose norms are NaN, one after another.
static __device__ __noinline__ void sum_again(const struct lab_kernel_summation &p, float *sums,
                                              const float *a_norm, int first_row, int first,
                                              int end, float factor)
{
    for (int row = first_row; row < min(first_row + 16, p.m); ++row)
        if (isnan(a_norm[row - first_row])) {
            const float sum = summation_of_differences(p, row, first, end, factor);
            if (threadIdx.x % 32 == 0)
                sums[row] = sum;
        }
}

// A block keeps its sources, 64 to a warpgroup, and goes along its share of the tiles. Its first
// thread also starts the copies, of panels as many ahead as there are stages. IN_PIECES: sums of
// PIECE panels leave the tensor cores, which cut sums off, and are added up in FP32.
template <int GROUPS, bool IN_PIECES>
static __global__ __launch_bounds__(GROUPS *GROUP, IN_PIECES ? 1 : 2) void
fused(const struct lab_kernel_summation problem, struct plan p, float factor_of_differences)
{
    constexpr int TILE_M = GROUPS * GROUP_M, A_PART = TILE_M * ROW;
    extern __shared__ char unaligned[];
    __shared__ struct space<TILE_M> space;
    const int panels = p.padded_k / TILE_K, group = threadIdx.x / GROUP, lane = threadIdx.x % 32;
    const int first_row = (int)blockIdx.x * TILE_M, first_tile = (int)blockIdx.y * p.tiles_a_block;
    const int end_tile = min(first_tile + p.tiles_a_block, p.tiles); // this block's share ends
    char *const sources = unaligned + (512 - ptx_shared_address(unaligned) % 512) % 512;
    char *const ring = sources + panels * 2 * A_PART;
    struct head *const heads = (struct head *)(ring + p.stages * STAGE);
    int next_tile = first_tile, next_panel = 0, next_stage = 0, next_parity = 1; // to copy
    const auto copy_panel = [&] {
        uint64_t *const full = &space.barriers[next_stage].full;
        const int head_bytes = next_panel == 0 ? (int)sizeof(struct head) : 0;
        if (next_tile == end_tile)
            return;
        ptx_mbarrier_wait(&space.barriers[next_stage].empty, next_parity);
        ptx_mbarrier_arrive_expecting(full, STAGE + head_bytes);
        ptx_bulk_copy(ptx_shared_address(ring) + next_stage * STAGE,
                      p.panels + ((size_t)next_tile * panels + next_panel) * STAGE, STAGE, full);
        if (head_bytes)
            ptx_bulk_copy(ptx_shared_address(&heads[next_tile % HEADS]), &p.heads[next_tile],
                          head_bytes, full);
        next_panel = next_panel + 1 < panels ? next_panel + 1 : 0;
        next_tile += next_panel == 0;
        next_stage = next_stage + 1 < p.stages ? next_stage + 1 : 0;
        next_parity ^= next_stage == 0;
    };
    if (threadIdx.x == 0) {
        for (int i = 0; i < p.stages; ++i) {
            ptx_mbarrier_make(&space.barriers[i].full, 1);
            ptx_mbarrier_make(&space.barriers[i].empty, GROUPS * GROUP / 32);
        }
        ptx_mbarrier_make(&space.turn[0], GROUP / 32);
        ptx_mbarrier_make(&space.turn[1], GROUP / 32);
        ptx_mbarriers_made();
        for (int i = 0; i < p.stages; ++i)
            copy_panel(); // on their way while the sources are loaded
    }
    const bool small =
        prepare<TILE_M>(p, problem.a, sources, &space, first_row, first_tile, end_tile);
    const int own = group * GROUP_M + threadIdx.x % GROUP / 32 * 16 + lane / 4; // and own + 8
    const float norm[] = {space.a_norm[own], space.a_norm[own + 8]};
    const float a_factor[] = {space.a_factor[own], space.a_factor[own + 8]};
    const unsigned a_tile = ptx_shared_address(sources) + group * GROUP_M * ROW;
    float row_sum[2] = {}; // over a quarter of all targets of this block
    int stage = 0, parity = 0, before = 0; // before: the stage of the panel before this one
    const auto arrive = [&](uint64_t *barrier) { // once for a warp
        __syncwarp();
        if (lane == 0)
            ptx_mbarrier_arrive(barrier);
    };
    const bool takes_turns = !IN_PIECES && p.takes_turns;
    int ahead = takes_turns ? panels : 1; // of the group whose turn comes later: it has read these
    for (int tile = first_tile; tile < end_tile; ++tile) {
        float sum[VALUES], total[VALUES]; // as ptx_wgmma_f16() has them
        if (takes_turns)
            ptx_mbarrier_wait(&space.turn[group], (tile - first_tile & 1) ^ (group == 0));
        for (int piece = 0, end; piece < panels; piece = end) {
            end = IN_PIECES ? min(piece + PIECE, panels) : panels;
            for (int panel = piece; panel < end; ++panel) {
                ptx_mbarrier_wait(&space.barriers[stage].full, parity);
                ptx_wgmma_begin();
#pragma unroll
                for (int k = 0; k < TILE_K; k += MMA_K) {
                    const unsigned at = a_tile + panel * 2 * A_PART + k * 2;
                    const unsigned b_at = ptx_shared_address(ring) + stage * STAGE + k * 2;
                    const uint64_t a = ptx_wgmma_descriptor<ROW>(at);
                    const uint64_t a_small = ptx_wgmma_descriptor<ROW>(at + A_PART);
                    const uint64_t b = ptx_wgmma_descriptor<ROW>(b_at);
                    const uint64_t b_small = ptx_wgmma_descriptor<ROW>(b_at + PART);
                    ptx_wgmma_f16(sum, a_small, b, panel > piece || k > 0);
                    ptx_wgmma_f16(sum, a, b_small, true);
                    ptx_wgmma_f16(sum, a, b, true);
                }
                ptx_wgmma_commit();
                ptx_wgmma_wait<1>(); // what came before this panel has been multiplied
                if (panel > piece)
                    arrive(&space.barriers[before].empty);
                if (threadIdx.x == 0 && ahead-- <= 0)
                    copy_panel();
                __syncwarp();
                before = stage;
                stage = stage + 1 < p.stages ? stage + 1 : 0;
                parity ^= stage == 0;
            }
            if (takes_turns)
                arrive(&space.turn[group ^ 1]);
            ptx_wgmma_wait<0>();
            arrive(&space.barriers[before].empty);
#pragma unroll
            for (int i = 0; IN_PIECES && i < VALUES; ++i)
                total[i] = piece == 0 ? sum[i] : total[i] + sum[i];
        }
        const struct head &head = heads[tile % HEADS];
        const float factor[] = {a_factor[0] * head.of_tile.x, a_factor[1] * head.of_tile.x};
        small ? evaluate(row_sum, IN_PIECES ? total : sum, &head.of_pair[lane % 4], factor, norm,
                         true)
              : evaluate(row_sum, IN_PIECES ? total : sum, &head.of_pair[lane % 4], factor, norm,
                         false);
    }
    float *const sums = p.sums + (size_t)blockIdx.y * p.m;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        for (int apart : {1, 2}) // the lanes of a row
            row_sum[r] += __shfl_xor_sync(0xFFFFFFFF, row_sum[r], apart);
        row_sum[r] *= small ? ptx_exp2(norm[r]) : 1.0f; // the norms that have waited
        const int row = first_row + own + 8 * r;
        if (lane % 4 == 0 && row < p.m && !isnan(norm[r]))
            sums[row] = row_sum[r];
    }
    if (!small)
        sum_again(problem, sums, &space.a_norm[own - lane / 4], first_row + own - lane / 4,
                  first_tile * TILE_N, min(end_tile * TILE_N, p.n), factor_of_differences);
}

// The bytes of shared memory of a block that has `groups` warpgroups and `stages` stages.
static size_t shared_bytes(int padded_k, int groups, int stages)
{
    return 512 + (size_t)padded_k / TILE_K * 2 * groups * GROUP_M * ROW + (size_t)stages * STAGE +
           HEADS * sizeof(struct head);
}

// No tiles where two stages do not fit in shared memory beside 64 sources, or where the scale is so
// large that the identity leaves no digits.
static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k, ((p->k - 1) / TILE_K + 1) * TILE_K};
    const int blocks = plan.padded_k <= SHORT_K ? 2 : 1; // on an SM at once
    const size_t most = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks -
                        lab_device_attribute(cudaDevAttrReservedSharedMemoryPerBlock) -
                        sizeof(struct space<2 * GROUP_M>);
    plan.scale = -lab_exponent_factor(p->h) * (float)M_LOG2E;
    plan.groups = shared_bytes(plan.padded_k, 2, 2) <= most ? 2 : 1;
    for (plan.stages = MOST_STAGES; plan.stages > 1; --plan.stages)
        if (shared_bytes(plan.padded_k, plan.groups, plan.stages) <= most)
            break;
    if (plan.stages < 2 || plan.scale > 1e15f)
        return plan;
    plan.takes_turns = plan.stages >= plan.padded_k / TILE_K + 2;
    plan.shared_bytes = shared_bytes(plan.padded_k, plan.groups, plan.stages);
    plan.tiles = (p->n - 1) / TILE_N + 1;
    const int at_once = blocks * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int blocks_m = (p->m - 1) / (plan.groups * GROUP_M) + 1;
    const int wanted = (at_once - 1) / blocks_m + 1; // shares that fill the GPU
    plan.tiles_a_block = (plan.tiles - 1) / wanted + 1;
    plan.shares = (plan.tiles - 1) / plan.tiles_a_block + 1; // none of them empty
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.panels = (char *)p->workspace;
    plan.heads =
        (struct head *)(plan.panels + (size_t)plan.tiles * (plan.padded_k / TILE_K) * STAGE);
    plan.centre = (float *)(plan.heads + plan.tiles);
    plan.sums = partials ? plan.centre + plan.padded_k : p->v;
    plan.workspace_bytes = (char *)(plan.centre + plan.padded_k + partials) - plan.panels;
    return plan;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return plan_of(p).workspace_bytes;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    const float factor = lab_exponent_factor(p->h);
    if (plan.tiles == 0) { // it does not fit
        summation_by_differences<<<p->m, 32, 0, stream>>>(*p, factor);
        return cudaGetLastError();
    }
    const auto kernel = plan.padded_k <= SHORT_K ? fused<2, false>
                        : plan.groups == 2       ? fused<2, true>
                                                 : fused<1, true>;
    const dim3 grid((p->m - 1) / (plan.groups * GROUP_M) + 1, plan.shares);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes);
    pack_targets<<<plan.tiles, PACK_THREADS, plan.padded_k * sizeof(float), stream>>>(p->b, p->w,
                                                                                      plan);
    kernel<<<grid, plan.groups * GROUP, plan.shared_bytes, stream>>>(*p, plan, factor);
    if (plan.shares > 1)
        tile_sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums,
                                                                    p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"tensor_cores", launch, workspace, LAB_REPEATABLE});
