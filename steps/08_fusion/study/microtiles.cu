// The study of step 08: the paper's own kernel, its tiles laid out as in its figure 5, and what it
// weighs that against: tiles laid out as they come, 4 x 4 values by 1024 threads, so few registers
// that values spill, and its product unfused. `run sweep step08` has it compiled, no step does.
#include "families/kernel_summation.h"
#include "summation/evaluate.h"
#include "summation/norms.h"

constexpr int TILE = 128;    // sources and targets of a block
constexpr int TILE_K = 8;    // dimensions at a time
constexpr int MICROTILE = 8; // points of a tile that lie together: 16 microtiles of 8 x 8 values

// What the kernels need.
struct plan {
    int m, n, k;            // sources, targets, dimensions
    int tiles, shares;      // of targets; sums of each row that are stored, or 1: blocks add to it
    float factor;           // -1 / (2 h^2)
    float *a_norm, *b_norm; // (m) and (n)
    float *sums;            // (shares, m), or the result itself
    float *product;         // (m, n), unfused
    size_t workspace_bytes;
};

// Where a tile has dimension k of a point. SPREAD is figure 5: a row is 32 words, one in each bank;
// a microtile has two banks and all 32 rows, so that 16 of them fill the banks. A track, which is
// the 8 dimensions of a point, is a column of 8 rows: tracks 0 and 1 of all microtiles in the first
// 8 rows, 2 and 3 in the next, and so on. Else a row is a dimension of all points in their order.
template <bool SPREAD> static __device__ __forceinline__ int place(int k, int point)
{
    const int microtile = point / MICROTILE, track = point % MICROTILE;
    return SPREAD ? (track / 2 * TILE_K + k) * 32 + microtile * 2 + track % 2 : k * TILE + point;
}

// A vector of the type, or zeros, which add nothing to a sum.
template <class VECTOR>
static __device__ __forceinline__ void load_vector(float *to, const float *__restrict__ from,
                                                   bool exists)
{
    *(VECTOR *)to = exists ? *(const VECTOR *)from : VECTOR{};
}

// The elements at `from`, of which `count` exist, zeros for the others. ALIGNED says that k is a
// multiple of 4: all points begin on 16 bytes, no vector is cut.
template <bool ALIGNED, int COUNT>
static __device__ __forceinline__ void load(float (&to)[COUNT], const float *__restrict__ from,
                                            int count)
{
    constexpr int AT_ONCE = !ALIGNED ? 1 : COUNT < 4 ? COUNT : 4;
#pragma unroll
    for (int i = 0; i < COUNT; i += AT_ONCE)
        if constexpr (AT_ONCE == 4)
            load_vector<float4>(&to[i], from + i, count > i);
        else if constexpr (AT_ONCE == 2)
            load_vector<float2>(&to[i], from + i, count > i);
        else
            to[i] = count > i ? from[i] : 0.0f;
}

// Dimension k of neighbouring points of one microtile. Two tracks lie side by side in figure 5: 16
// threads that read them from 16 microtiles meet all 32 banks. In order 4 are read at once, and of
// 8 threads that do two meet in each bank.
template <bool SPREAD, int COUNT>
static __device__ __forceinline__ void pick(float (&values)[COUNT], const float *tile, int k,
                                            int first)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += SPREAD ? 2 : 4)
        if constexpr (SPREAD)
            *(float2 *)&values[i] = *(const float2 *)&tile[place<SPREAD>(k, first + i)];
        else
            *(float4 *)&values[i] = *(const float4 *)&tile[place<SPREAD>(k, first + i)];
}

// row_sum += K * weights, where K is the Gaussian of the products, sums.
template <int SIDE>
static __device__ __forceinline__ void
evaluate(float (&row_sum)[SIDE], const float (&sum)[SIDE][SIDE], struct plan p,
         const float *__restrict__ w, int first_col, int first_row)
{
    for (int q = 0; q < SIDE; ++q) {
        const int col = first_col + q;
        const float norm = col < p.n ? p.b_norm[col] : 0.0f;
        const float weight = col < p.n ? w[col] : 0.0f; // a target that is not there adds nothing
        for (int r = 0; r < SIDE; ++r) {
            const int row = first_row + r;
            const float own = row < p.m ? p.a_norm[row] : 0.0f;
            row_sum[r] += summation_gaussian(own, norm, sum[r][q], p.factor) * weight;
        }
    }
}

// One block: 128 sources by 128 targets, SIDE x SIDE values for a thread. One half of its threads
// loads sources, the other half targets, a track each, or a part of one. A thread's points are of
// the microtile of its place among 16. Reduced as in stage 3, in the memory that the tiles were in.
// UNFUSED: stored as the values come, since the paper says that it did not optimise that.
template <int SIDE, int REGISTERS, bool SPREAD, bool UNFUSED, bool ALIGNED>
static __global__ __maxnreg__(REGISTERS) void fused(const float *__restrict__ a,
                                                    const float *__restrict__ b,
                                                    const float *__restrict__ w, struct plan p)
{
    constexpr int ACROSS = TILE / SIDE, HALF = ACROSS * ACROSS / 2; // threads
    constexpr int SHARE = TILE * TILE_K / HALF; // of a track: 8 dimensions, or 2 of four threads
    constexpr int PITCH = ACROSS + 2; // even, and 16 rows of it begin in 16 pairs of banks
    constexpr int TILES = 2 * 2 * TILE * TILE_K, PARTS = TILE * PITCH;
    __shared__ __align__(16) float space[TILES > PARTS ? TILES : PARTS];
    const int thread = threadIdx.x, tx = thread % ACROSS, ty = thread / ACROSS;
    const int lane_n = tx % 16 * MICROTILE + tx / 16 * SIDE;
    const int lane_m = ty % 16 * MICROTILE + ty / 16 * SIDE;
    const int first_row = (int)blockIdx.x / p.tiles * TILE, tile = (int)blockIdx.x % p.tiles;

    const bool is_target = thread >= HALF;
    const int lane = thread % 32, warp = thread % 128 / 32; // of the 4 that load a tile's tracks
    const int point = SPREAD ? lane / 2 * MICROTILE + warp * 2 + lane % 2 : thread % 128;
    const int from_k = thread % HALF / 128 * SHARE;
    const int loaded = (is_target ? tile * TILE : first_row) + point;
    const float *from = (is_target ? b : a) + (size_t)loaded * p.k + from_k;
    const int count = loaded < (is_target ? p.n : p.m) ? p.k - from_k : 0; // elements left of it
    float next[SHARE];
    const auto tile_at = [&](int number, bool of_targets) {
        return &space[(number * 2 + of_targets) * TILE * TILE_K];
    };
    const auto deposit_next = [&](int to) { // a warp writes a row, whichever way it is laid out
        for (int i = 0; i < SHARE; ++i)
            tile_at(to, is_target)[place<SPREAD>(from_k + i, point)] = next[i];
    };
    int now = 0; // the tiles being read; the others are being filled
    load<ALIGNED>(next, from, count);
    deposit_next(now);
    __syncthreads();            // the first tiles are there
    float sum[SIDE][SIDE] = {}; // in registers: every index is known when compiling
#pragma unroll 2
    for (int k = 0; k < p.k; k += TILE_K) {
        load<ALIGNED>(next, from + k + TILE_K, count - k - TILE_K); // beyond the last one zeros
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_value[SIDE], b_value[SIDE];
            pick<SPREAD>(a_value, tile_at(now, false), i, lane_m);
            pick<SPREAD>(b_value, tile_at(now, true), i, lane_n);
            for (int x = 0; x < SIDE * SIDE; ++x) { // down one column, up the next
                const int q = x / SIDE, r = q % 2 ? SIDE - 1 - x % SIDE : x % SIDE;
                sum[r][q] = fmaf(a_value[r], b_value[q], sum[r][q]);
            }
        }
        now = 1 - now;
        deposit_next(now);
        __syncthreads(); // the new tiles are there, and all have read the old ones
    }
    if (UNFUSED) {
        for (int r = 0; r < SIDE; ++r)
            for (int q = 0; q < SIDE; ++q)
                if (first_row + lane_m + r < p.m && tile * TILE + lane_n + q < p.n)
                    p.product[(size_t)(first_row + lane_m + r) * p.n + tile * TILE + lane_n + q] =
                        sum[r][q];
        return;
    }
    float row_sum[SIDE] = {};
    evaluate(row_sum, sum, p, w, tile * TILE + lane_n, first_row + lane_m);
    for (int r = 0; r < SIDE; ++r)
        space[(lane_m + r) * PITCH + tx] = row_sum[r]; // where no tile is needed any more
    __syncthreads();                                   // the sums of all threads are there
    if (thread >= TILE || first_row + thread >= p.m)
        return;
    float total = 0.0f;
    for (int i = 0; i < ACROSS; i += 2) {
        const float2 pair = *(const float2 *)&space[thread * PITCH + i];
        total += pair.x;
        total += pair.y;
    }
    if (p.shares > 1)
        p.sums[(size_t)tile * p.m + first_row + thread] = total;
    else
        atomicAdd(&p.sums[first_row + thread], total);
}

constexpr int SUM_THREADS = 256;

// What is left of an unfused product: a warp evaluates and sums a row of it.
static __global__ void evaluate_and_sum(const float *__restrict__ w, struct plan p)
{
    const int row = (int)((blockIdx.x * SUM_THREADS + threadIdx.x) / 32);
    if (row >= p.m)
        return;
    float sum = 0.0f;
    for (int col = threadIdx.x % 32; col < p.n; col += 32) // neighbours for neighbouring lanes
        sum += summation_gaussian(p.a_norm[row], p.b_norm[col], p.product[(size_t)row * p.n + col],
                                  p.factor) *
               w[col];
    sum = tile_warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        p.sums[row] = sum;
}

// The blocks of a row in their order.
static __global__ void sum_partials(int m, int count, const float *__restrict__ partial,
                                    float *__restrict__ v)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= m)
        return;
    float sum = 0.0f;
    for (int i = 0; i < count; ++i)
        sum += partial[(size_t)i * m + row]; // neighbours again for neighbouring threads
    v[row] = sum;
}

static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k};
    plan.tiles = (p->n - 1) / TILE + 1;
    plan.factor = lab_exponent_factor(p->h);
    plan.shares = p->deterministic ? plan.tiles : 1;
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.a_norm = (float *)p->workspace;
    plan.b_norm = plan.a_norm + p->m;
    plan.sums = partials ? plan.b_norm + p->n : p->v;
    plan.workspace_bytes = ((size_t)p->m + p->n + partials) * sizeof(float);
    return plan;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return plan_of(p).workspace_bytes;
}

// The product, which begins on 256 bytes, and behind it the norms.
static struct plan plan_of_unfused(const struct lab_kernel_summation *p)
{
    struct plan plan = plan_of(p);
    const size_t elements = (size_t)p->m * p->n;
    plan.shares = 1;
    plan.sums = p->v;
    plan.product = (float *)p->workspace;
    plan.a_norm = plan.product + elements;
    plan.b_norm = plan.a_norm + (p->m + 3) / 4 * 4; // aligned for vectors
    plan.workspace_bytes = (elements + p->m + 3 + p->n) * sizeof(float);
    return plan;
}

static size_t workspace_of_unfused(const struct lab_kernel_summation *p)
{
    return plan_of_unfused(p).workspace_bytes;
}

// EVALUATED: G is written, and read again to be summed.
template <bool EVALUATED>
static cudaError_t launch_unfused(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of_unfused(p);
    const long long blocks = ((p->m - 1) / TILE + 1LL) * plan.tiles;
    if (blocks > 0x7FFFFFFF) // a grid has no more
        return cudaErrorInvalidConfiguration;
    auto *kernel =
        p->k % 4 == 0 ? fused<8, 128, true, true, true> : fused<8, 128, true, true, false>;
    summation_launch_norms(p->m, p->n, p->k, p->a, p->b, plan.a_norm, plan.b_norm, stream);
    kernel<<<blocks, TILE / 8 * TILE / 8, 0, stream>>>(p->a, p->b, p->w, plan);
    if (EVALUATED)
        summation_launch_gemv(p->m, p->n, plan.factor, plan.product, plan.a_norm, plan.b_norm, p->w,
                              p->v, stream);
    else
        evaluate_and_sum<<<(p->m - 1) / (SUM_THREADS / 32) + 1, SUM_THREADS, 0, stream>>>(p->w,
                                                                                          plan);
    return cudaGetLastError();
}

template <int SIDE, int REGISTERS, bool SPREAD>
static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    const long long blocks = ((p->m - 1) / TILE + 1LL) * plan.tiles;
    if (blocks > 0x7FFFFFFF) // a grid has no more
        return cudaErrorInvalidConfiguration;
    auto *kernel = p->k % 4 == 0 ? fused<SIDE, REGISTERS, SPREAD, false, true>
                                 : fused<SIDE, REGISTERS, SPREAD, false, false>;
    if (plan.shares == 1) // blocks add to it
        cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    summation_launch_norms(p->m, p->n, p->k, p->a, p->b, plan.a_norm, plan.b_norm, stream);
    kernel<<<blocks, TILE / SIDE * TILE / SIDE, 0, stream>>>(p->a, p->b, p->w, plan);
    if (plan.shares > 1)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"in_order", launch<8, 128, false>, workspace, LAB_ADDS_ATOMICALLY},
           {"values_4x4", launch<4, 64, true>, workspace, LAB_ADDS_ATOMICALLY},
           {"values_4x4_two", launch<4, 32, true>, workspace,
            LAB_ADDS_ATOMICALLY}, // blocks on an SM
           {"registers_80", launch<8, 80, true>, workspace, LAB_ADDS_ATOMICALLY},
           {"registers_64", launch<8, 64, true>, workspace, LAB_ADDS_ATOMICALLY},
           {"micro_unfused", launch_unfused<false>, workspace_of_unfused},
           {"micro_gemv", launch_unfused<true>, workspace_of_unfused},
           {"microtiles", launch<8, 128, true>, workspace, LAB_ADDS_ATOMICALLY});
