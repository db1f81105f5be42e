// Step 08, stage 6: the product on tensor cores. Points are split in two halves each, as in stage
// 15.5, so three products of halves are as accurate as FP32, and wgmma leaves them in registers
// where they are evaluated. A block keeps its sources as halves in shared memory; targets are
// packed as shared memory holds them, so that one bulk copy brings a panel. Targets are the rows of
// the product: a thread has two, whose norms and weights it reads once for 32 sources. An
// evaluation is then one multiply-add, one ex2 and one multiply-add. While the products of one
// warpgroup run, others evaluate. Blocks load their sources while the targets are being packed.
#include "families/kernel_summation.h"
#include "ptx/bulk.h"
#include "ptx/exp2.h"
#include "ptx/launch_early.h"
#include "ptx/mbarrier.h"
#include "ptx/wgmma.h"
#include "summation/by_differences.h"
#include "tile/split.h"
#include "tile/sum_partials.h"

#include <algorithm>

constexpr int GROUP = 128, GROUP_N = 64; // threads of a warpgroup, and its targets
constexpr int THREADS = 2 * GROUP, WARPS = THREADS / 32;
constexpr int TILE_M = 128, TILE_N = 2 * GROUP_N; // sources of a block; targets of a tile
constexpr int VALUES = 64, OWN = 32;              // products of a thread; its sources
constexpr int TILE_K = 32, MMA_K = 16;            // k of a panel; of wgmma
constexpr int ROW = TILE_K * (int)sizeof(half);   // bytes of a point in a panel
constexpr int PART = 128 * ROW, PANEL = 2 * PART; // large or small parts of a panel; all of it
constexpr int MOST_STAGES = 5, HEADS = MOST_STAGES + 1; // one more: a head is read longer
constexpr int PIECE = 4;                // panels whose sums stay in the tensor cores
constexpr int SHORT_K = PIECE * TILE_K; // one piece: two blocks fit on an SM
constexpr int MOST_PANELS = 11;         // of the sources beside two of the targets, in 227 KB
constexpr int PACK_THREADS = 512, PACK_WARPS = PACK_THREADS / 32;
constexpr float SMALL = 32.0f, LARGE = 1e20f; // 2^SMALL times less than LARGE does not overflow
constexpr float HUGE_NORM = 1e37f;            // sums of four numbers below it are finite

// What an evaluation needs beside the products. A target beyond the last one has weight 0.
struct head {
    float norm[TILE_N], weight[TILE_N];            // -s |b|^2
    float unscale, most_weight, most_norm, unused; // 1 / scale; of the tile, infinite for NaN, too
};

// What the kernels need: whole tiles.
struct plan {
    int m, n, k, padded_k;            // sources, targets, dimensions, as a multiple of TILE_K
    int tiles, shares, tiles_a_block; // of targets; blocks that share them where there are few
    int stages;                       // panels in shared memory
    float scale;                      // log2(e) / (2 h^2)
    char *panels;                     // (tile, panel, large or small, target, TILE_K), swizzled
    struct head *heads;               // (tile)
    float *sums;                      // (shares, m), or the result itself
    size_t shared_bytes, workspace_bytes;
};

// The barriers of a stage. Full: a panel has come. Empty: it has been multiplied.
struct stage_barriers {
    uint64_t full, empty;
};

// What shared memory holds beside the sources, the panels and the heads.
struct space {
    float a_norm[TILE_M];                // -s |a|^2, NaN: to be summed by differences
    float a_largest, a_factor;           // the largest coordinate; 2 s / scale
    float row[WARPS][TILE_M];            // what each warp has of the sums
    unsigned largest[WARPS], far[WARPS]; // of each warp
    struct stage_barriers barriers[MOST_STAGES];
};

// Four neighbouring dimensions of a point; zeros beyond the last one.
static __device__ __forceinline__ float4 read_four(const float *points, int point, int k, int first)
{
    const float *const from = points + (size_t)point * k + first;
    if (k % 4 == 0 && first < k)
        return *(const float4 *)from;
    return make_float4(first < k ? from[0] : 0.0f, first + 1 < k ? from[1] : 0.0f,
                       first + 2 < k ? from[2] : 0.0f, first + 3 < k ? from[3] : 0.0f);
}

// Those of the centre, about which all points and norms are taken: the mean of the first 8 targets,
// which is near enough.
static __device__ __forceinline__ float4 read_centre(const float *b, int n, int k, int first)
{
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
    for (int j = 0; j < min(n, 8); ++j) {
        const float4 x = read_four(b, j, k, first);
        sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
    }
    const float count = (float)min(n, 8);
    return make_float4(sum.x / count, sum.y / count, sum.z / count, sum.w / count);
}

static __device__ __forceinline__ float4 minus(float4 x, float4 y)
{
    return make_float4(x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w);
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

// Splits them and stores them where wgmma looks for them: panels of 128 points, large parts before
// small ones, in rows of 64 bytes whose chunks are swizzled.
static __device__ __forceinline__ void write_four(char *panels, int point, int first, float4 x,
                                                  float scale)
{
    const int chunk = first % TILE_K / 8 ^ point / 2 % 4;
    char *const to = panels + first / TILE_K * PANEL + point * ROW + 16 * chunk + first % 8 * 2;
    half2 large[2], small[2];
    tile_split_pair(&large[0], &small[0], x.x, x.y, scale);
    tile_split_pair(&large[1], &small[1], x.z, x.w, scale);
    *(uint2 *)to = *(const uint2 *)large;
    *(uint2 *)(to + PART) = *(const uint2 *)small;
}

// Targets about a centre, the mean of the first 8, as halves. All of a tile have one scale, so that
// an evaluation needs no factor for each target. A block takes a tile, eight lanes take a target.
static __global__ __launch_bounds__(PACK_THREADS) void pack_targets(const float *b, const float *w,
                                                                    struct plan p)
{
    constexpr int TARGETS = PACK_THREADS / 8, OF_THREAD = TILE_N / TARGETS; // at a time; in all
    __shared__ unsigned of_warp[3][PACK_WARPS];
    const int tile = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct head *const head = &p.heads[tile];
    ptx_let_next_begin(); // sources are loaded meanwhile
    const int own = threadIdx.x / 8, first_k = threadIdx.x % 8 * 4;
    float4 x[MOST_PANELS][OF_THREAD]; // from the centre
    float norm[OF_THREAD] = {}, most_norm = 0.0f, most_weight = 0.0f;
    unsigned largest = 0;
#pragma unroll
    for (int panel = 0; panel < MOST_PANELS; ++panel) {
        const int k = first_k + panel * TILE_K;
        if (panel >= p.padded_k / TILE_K)
            break;
        const float4 centre = read_centre(b, p.n, p.k, k);
        for (int i = 0; i < OF_THREAD; ++i) {
            const int target = tile * TILE_N + own + i * TARGETS;
            x[panel][i] = target < p.n ? minus(read_four(b, target, p.k, k), centre)
                                       : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            norm[i] += square(x[panel][i]);
            largest = max(largest, magnitude(x[panel][i]));
        }
    }
    for (int i = 0; i < OF_THREAD; ++i) {
        for (int apart : {1, 2, 4}) // the lanes of a target
            norm[i] += __shfl_xor_sync(0xFFFFFFFF, norm[i], apart);
        const int in_tile = own + i * TARGETS, target = tile * TILE_N + in_tile;
        const float weight = target < p.n ? w[target] : 0.0f; // nothing is added beyond the last
        norm[i] *= p.scale;
        if (first_k == 0) {
            head->norm[in_tile] = -norm[i];
            head->weight[in_tile] = weight;
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
        most[i] = __reduce_max_sync(0xFFFFFFFF, of_warp[i][lane % PACK_WARPS]);
    const float scale = ldexpf(1.0f, tile_exponent(most[0]));
    if (threadIdx.x == 0) {
        head->unscale = ldexpf(1.0f, -tile_exponent(most[0]));
        head->most_norm = __uint_as_float(most[1]);
        head->most_weight = __uint_as_float(most[2]);
        head->unused = 0.0f; // copied with the rest
    }
    char *const panels = p.panels + (size_t)tile * (p.padded_k / TILE_K) * PANEL;
#pragma unroll
    for (int panel = 0; panel < MOST_PANELS; ++panel) {
        if (panel >= p.padded_k / TILE_K)
            break;
        for (int i = 0; i < OF_THREAD; ++i)
            write_four(panels, own + i * TARGETS, first_k + panel * TILE_K, x[panel][i], scale);
    }
}

// The sources of a block as halves, to shared memory, and s |a|^2 of each: of nothing that
// pack_targets() writes. All sources of a block have one scale, as all targets of a tile have.
template <int MOST>
static __device__ __forceinline__ void load_sources(struct plan p, const float *a, const float *b,
                                                    char *sources, struct space *space,
                                                    int first_row)
{
    constexpr int SOURCES = THREADS / 8, OF_THREAD = TILE_M / SOURCES; // at a time; in all
    const int own = threadIdx.x / 8, first_k = threadIdx.x % 8 * 4, panels = p.padded_k / TILE_K;
    float4 x[MOST][OF_THREAD]; // from the centre
    float norm[OF_THREAD] = {};
    unsigned largest = 0;
#pragma unroll
    for (int panel = 0; panel < MOST; ++panel) {
        const int k = first_k + panel * TILE_K;
        if (panel >= panels)
            break;
        for (int i = 0; i < OF_THREAD; ++i)
            x[panel][i] = read_four(a, min(first_row + own + i * SOURCES, p.m - 1), p.k, k);
        const float4 centre = read_centre(b, p.n, p.k, k);
        for (int i = 0; i < OF_THREAD; ++i) {
            x[panel][i] = minus(x[panel][i], centre);
            norm[i] += square(x[panel][i]);
            largest = max(largest, magnitude(x[panel][i]));
        }
    }
    largest = __reduce_max_sync(0xFFFFFFFF, largest);
    if (threadIdx.x % 32 == 0)
        space->largest[threadIdx.x / 32] = largest;
    for (int i = 0; i < OF_THREAD; ++i) {
        for (int apart : {1, 2, 4}) // the lanes of a source
            norm[i] += __shfl_xor_sync(0xFFFFFFFF, norm[i], apart);
        if (first_k == 0)
            space->a_norm[own + i * SOURCES] = p.scale * norm[i];
    }
    __syncthreads(); // those of all warps are there
    for (int warp = 0; warp < WARPS; ++warp)
        largest = max(largest, space->largest[warp]);
    const float scale = ldexpf(1.0f, tile_exponent(largest));
    if (threadIdx.x == 0) {
        space->a_largest = __uint_as_float(largest);
        space->a_factor = ldexpf(2.0f * p.scale, -tile_exponent(largest));
    }
#pragma unroll
    for (int panel = 0; panel < MOST; ++panel) {
        if (panel >= panels)
            break;
        for (int i = 0; i < OF_THREAD; ++i)
            write_four(sources, own + i * SOURCES, first_k + panel * TILE_K, x[panel][i], scale);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads the sources
}

// Returns whether all norms of sources and all weights are small, and makes of s |a|^2 what is
// added to an exponent. A source is off by up to 2^-39 of the block's largest coordinate, which
// adds at most 2^-38 sqrt(reach far) to an exponent. If that is neither small nor less than what
// FP32 rounds off from |a|^2, the source's norm is NaN here, as it is where a norm is infinite, NaN
// or too large.
static __device__ __forceinline__ bool look_at_norms(struct plan p, struct space *space,
                                                     int first_tile, int end_tile)
{
    bool small = true;
    float far = 0.0f; // the largest norm of a target
    for (int tile = first_tile + (int)threadIdx.x; tile < end_tile; tile += THREADS) {
        small = small && p.heads[tile].most_weight < LARGE;
        far = fmaxf(far, p.heads[tile].most_norm);
    }
    const unsigned far_of_lanes = __reduce_max_sync(0xFFFFFFFF, __float_as_uint(far));
    if (threadIdx.x % 32 == 0)
        space->far[threadIdx.x / 32] = far_of_lanes;
    __syncthreads(); // those of all warps are there, and the sources
    for (int warp = 0; warp < WARPS; ++warp)
        far = fmaxf(far, __uint_as_float(space->far[warp]));
    if (threadIdx.x < TILE_M) {
        const float norm = space->a_norm[threadIdx.x];
        const float reach = p.scale * space->a_largest * space->a_largest * (float)p.k;
        const bool is_exact = reach * far < 0x1p32f || norm > 0x1p-26f * reach;
        const bool fits = norm < HUGE_NORM && far < HUGE_NORM && is_exact; // not so for NaN
        small = small && fits && norm < SMALL;
        space->a_norm[threadIdx.x] = fits ? -norm : NAN;
    }
    return __syncthreads_and(small); // what is added is there
}

// source_sum += exp2(exponent) * weights, for two targets and all sources of a thread, as in stage
// 08.5: where the sources' norms are small they wait until all is summed. What rounding made
// positive counts as 0.
static __device__ __forceinline__ void evaluate(float (&source_sum)[OWN],
                                                const float (&sum)[VALUES], float factor,
                                                const float (&norm)[2], const float (&weight)[2],
                                                const float *a_norm, bool is_small)
{
#pragma unroll
    for (int i = 0; i < VALUES; ++i) { // as wgmma has them: two sources, then the other target
        const int source = i / 4 * 2 + i % 2, target = i / 2 % 2;
        float exponent = fmaf(sum[i], factor, norm[target]);
        if (!is_small)
            exponent = fminf(exponent + a_norm[i / 4 * 8 + i % 2], 0.0f);
        source_sum[source] = fmaf(ptx_exp2(exponent), weight[target], source_sum[source]);
    }
}

// Two lanes add up their 2 HALF sums: each keeps one half and gives the other away. Returns which
// of its sums was the first that it keeps.
template <int HALF>
static __device__ __forceinline__ int add_half(float (&sum)[OWN], int lane, int apart)
{
    const bool is_upper = lane & apart;
#pragma unroll
    for (int i = 0; i < HALF; ++i) {
        const float given = is_upper ? sum[i] : sum[i + HALF];
        sum[i] = is_upper ? sum[i + HALF] : sum[i];
        sum[i] += __shfl_xor_sync(0xFFFFFFFF, given, apart);
    }
    return is_upper ? HALF : 0;
}

// Sources whose norms are NaN, each by a warp.
static __device__ __noinline__ void sum_again(const struct lab_kernel_summation &p, float *sums,
                                              const float *a_norm, int first_row, int first,
                                              int end, float factor)
{
    for (int i = threadIdx.x / 32; i < min(TILE_M, p.m - first_row); i += WARPS) {
        const int row = first_row + i, lane = threadIdx.x % 32;
        if (!isnan(a_norm[i]))
            continue;
        const float sum =
            summation_of_differences(p.a + (size_t)row * p.k, p.b + (size_t)first * p.k,
                                     p.w + first, end - first, p.k, lane, factor);
        if (lane == 0)
            sums[row] = sum;
    }
}

// A block keeps its sources, and goes along its share of the tiles, 64 targets of each to a
// warpgroup. Its first thread also starts the copies. IN_PIECES: sums of PIECE panels leave the
// tensor cores, which cut sums off, and are added up in FP32.
template <bool IN_PIECES>
static __global__
__launch_bounds__(THREADS, IN_PIECES ? 1 : 2) void fused(const struct lab_kernel_summation problem,
                                                         struct plan p, float factor_of_differences)
{
    extern __shared__ char unaligned[];
    __shared__ struct space space;
    const int panels = p.padded_k / TILE_K, group = threadIdx.x / GROUP, lane = threadIdx.x % 32;
    const int first_row = (int)blockIdx.x * TILE_M, first_tile = (int)blockIdx.y * p.tiles_a_block;
    const int end_tile = min(first_tile + p.tiles_a_block, p.tiles); // this block's share ends
    char *const sources = unaligned + (512 - ptx_shared_address(unaligned) % 512) % 512;
    char *const ring = sources + panels * PANEL;
    struct head *const heads = (struct head *)(ring + p.stages * PANEL);
    int next_tile = first_tile, next_panel = 0, next_stage = 0, next_parity = 1; // to copy
    const auto copy_panel = [&] {
        uint64_t *const full = &space.barriers[next_stage].full;
        const int head_bytes = next_panel == 0 ? (int)sizeof(struct head) : 0;
        if (next_tile == end_tile)
            return;
        ptx_mbarrier_wait(&space.barriers[next_stage].empty, next_parity);
        ptx_mbarrier_arrive_expecting(full, PANEL + head_bytes);
        ptx_bulk_copy(ptx_shared_address(ring) + next_stage * PANEL,
                      p.panels + ((size_t)next_tile * panels + next_panel) * PANEL, PANEL, full);
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
            ptx_mbarrier_make(&space.barriers[i].empty, WARPS);
        }
        ptx_mbarriers_made();
    }
    load_sources<IN_PIECES ? MOST_PANELS : PIECE>(p, problem.a, problem.b, sources, &space,
                                                  first_row);
    ptx_wait_for_earlier(); // the targets are there
    for (int i = 0; threadIdx.x == 0 && i < p.stages; ++i)
        copy_panel();
    const bool small = look_at_norms(p, &space, first_tile, end_tile);
    const int own_target = group * GROUP_N + threadIdx.x % GROUP / 32 * 16 + lane / 4; // and + 8
    const int own_source = lane % 4 * 2; // and the next one, and the same 8 further on, ...
    float source_sum[OWN] = {};
    int stage = 0, parity = 0, before = 0;       // before: the stage of the panel before this one
    const auto arrive = [&](uint64_t *barrier) { // once for a warp
        __syncwarp();
        if (lane == 0)
            ptx_mbarrier_arrive(barrier);
    };
    int behind = p.stages / 2; // panels by which the other warpgroup may be behind
    for (int tile = first_tile; tile < end_tile; ++tile) {
        float sum[VALUES], total[VALUES]; // as ptx_wgmma_f16() has them
        for (int piece = 0, end; piece < panels; piece = end) {
            end = IN_PIECES ? min(piece + PIECE, panels) : panels;
            for (int panel = piece; panel < end; ++panel) {
                ptx_mbarrier_wait(&space.barriers[stage].full, parity);
                ptx_wgmma_begin();
#pragma unroll
                for (int k = 0; k < TILE_K; k += MMA_K) {
                    const unsigned at = ptx_shared_address(ring) + stage * PANEL + k * 2;
                    const unsigned a_at = ptx_shared_address(sources) + panel * PANEL + k * 2;
                    const unsigned b_at = at + group * GROUP_N * ROW;
                    const uint64_t a = ptx_wgmma_descriptor<ROW>(a_at);
                    const uint64_t a_small = ptx_wgmma_descriptor<ROW>(a_at + PART);
                    const uint64_t b = ptx_wgmma_descriptor<ROW>(b_at);
                    const uint64_t b_small = ptx_wgmma_descriptor<ROW>(b_at + PART);
                    ptx_wgmma_f16(sum, b_small, a, panel > piece || k > 0);
                    ptx_wgmma_f16(sum, b, a_small, true);
                    ptx_wgmma_f16(sum, b, a, true);
                }
                ptx_wgmma_commit();
                ptx_wgmma_wait<1>(); // what came before this panel has been multiplied
                if (panel > piece)
                    arrive(&space.barriers[before].empty);
                if (threadIdx.x == 0 && behind-- <= 0)
                    copy_panel();
                __syncwarp();
                before = stage;
                stage = stage + 1 < p.stages ? stage + 1 : 0;
                parity ^= stage == 0;
            }
            ptx_wgmma_wait<0>();
            arrive(&space.barriers[before].empty);
#pragma unroll
            for (int i = 0; IN_PIECES && i < VALUES; ++i)
                total[i] = piece == 0 ? sum[i] : total[i] + sum[i];
        }
        const struct head &head = heads[tile % HEADS];
        const float factor = space.a_factor * head.unscale;
        const float norm[] = {head.norm[own_target], head.norm[own_target + 8]};
        const float weight[] = {head.weight[own_target], head.weight[own_target + 8]};
        small ? evaluate(source_sum, IN_PIECES ? total : sum, factor, norm, weight, NULL, true)
              : evaluate(source_sum, IN_PIECES ? total : sum, factor, norm, weight,
                         &space.a_norm[own_source], false);
    }
    int first_sum = add_half<16>(source_sum, lane, 4); // of lanes that have the same sources
    first_sum += add_half<8>(source_sum, lane, 8);
    first_sum += add_half<4>(source_sum, lane, 16);
#pragma unroll
    for (int i = 0; i < OWN / 8; ++i)
        space.row[threadIdx.x / 32][own_source + (first_sum + i) / 2 * 8 + i % 2] = source_sum[i];
    __syncthreads(); // the sums of all warps are there
    float *const sums = p.sums + (size_t)blockIdx.y * p.m;
    const int own = threadIdx.x;
    if (own < TILE_M && first_row + own < p.m && !isnan(space.a_norm[own])) {
        float sum = 0.0f;
        for (int warp = 0; warp < WARPS; ++warp)
            sum += space.row[warp][own];
        sum *= small ? ptx_exp2(space.a_norm[own]) : 1.0f; // the norms that have waited
        sums[first_row + own] = sum;
    }
    if (!small)
        sum_again(problem, sums, space.a_norm, first_row, first_tile * TILE_N,
                  min(end_tile * TILE_N, p.n), factor_of_differences);
}

// No tiles where two panels do not fit in shared memory beside the sources, above 352 dimensions,
// or where the scale is so large that the identity leaves no digits.
static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k, ((p->k - 1) / TILE_K + 1) * TILE_K};
    const int blocks = plan.padded_k <= SHORT_K ? 2 : 1; // on an SM at once
    const int most = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks -
                     lab_device_attribute(cudaDevAttrReservedSharedMemoryPerBlock) -
                     (int)sizeof(struct space);
    const int panels = plan.padded_k / TILE_K, rest = 512 + HEADS * (int)sizeof(struct head);
    plan.scale = -lab_exponent_factor(p->h) * (float)M_LOG2E;
    if (panels > std::min((most - rest) / PANEL - 2, MOST_PANELS) || plan.scale > 1e15f)
        return plan;
    plan.stages = std::min((most - rest) / PANEL - panels, MOST_STAGES);
    plan.shared_bytes = (size_t)(panels + plan.stages) * PANEL + rest;
    plan.tiles = (p->n - 1) / TILE_N + 1;
    const int at_once = blocks * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int wanted = (at_once - 1) / ((p->m - 1) / TILE_M + 1) + 1; // shares that fill the GPU
    plan.tiles_a_block = (plan.tiles - 1) / wanted + 1;
    plan.shares = (plan.tiles - 1) / plan.tiles_a_block + 1; // none of them empty
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.panels = (char *)p->workspace;
    plan.heads = (struct head *)(plan.panels + (size_t)plan.tiles * panels * PANEL);
    float *const shared_sums = (float *)(plan.heads + plan.tiles);
    plan.sums = partials ? shared_sums : p->v;
    plan.workspace_bytes = (char *)(shared_sums + partials) - plan.panels;
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
    const auto kernel = plan.padded_k <= SHORT_K ? fused<false> : fused<true>;
    const dim3 grid((p->m - 1) / TILE_M + 1, plan.shares);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes);
    pack_targets<<<plan.tiles, PACK_THREADS, 0, stream>>>(p->b, p->w, plan);
    const cudaError_t status =
        launch_early(kernel, grid, THREADS, plan.shared_bytes, stream, *p, plan, factor);
    if (status == cudaSuccess && plan.shares > 1)
        tile_sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums,
                                                                    p->v);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

LAB_EXPORT(kernel_summation, {"tensor_cores", launch, workspace, LAB_REPEATABLE});
