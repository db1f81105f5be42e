// Step 08, stage 6: a block keeps its sources in shared memory, in all dimensions, and goes along
// all targets with them: they are loaded once. Blocks are smaller, so that four of them fit an SM.
// Slower alone from some 64 dimensions on: targets are read by 4 times as many blocks. See stage 7.
#include "families/kernel_summation.h"

constexpr int ROWS = 8, COLS = 8;                         // sources and targets of a thread
constexpr int WARPS = 4, THREADS = 32 * WARPS;            // of a block, along the targets
constexpr int BLOCKS = 4, TILE_M = 4 * ROWS;              // on an SM at once; sources of a block
constexpr int WARP_N = 8 * COLS, TILE_N = WARPS * WARP_N; // targets of a warp, of its block
constexpr int PITCH_M = TILE_M + 4, PITCH_N = TILE_N + 4; // between dimensions: see deposit()
constexpr int TILE_K = 8;                                 // dimensions at a time

// What the kernels go by. Where there are few blocks several share the targets of their sources.
struct plan {
    int m, n, k, padded_k;            // sources, targets, dimensions, as a multiple of TILE_K
    int tiles, shares, tiles_a_block; // of targets; blocks that share them where there are few
    float factor;                     // -1 / (2 h^2)
    float *b_norm;                    // (n)
    float *sums;                      // (shares, m), or the result itself
    size_t shared_bytes, workspace_bytes;
};

// What shared memory holds, behind the sources themselves, (padded_k, PITCH_M).
struct space {
    float a_norm[TILE_M], row[WARPS][TILE_M]; // what each warp has of the sums
    float panel[2][TILE_K][PITCH_N];          // of targets; one is read, one is being filled
};

// exp(factor * distance). Rounding makes the square of a small distance negative at times, and a
// small h would blow that up: less than nothing counts as nothing.
static __device__ __forceinline__ float gaussian(float a_norm, float b_norm, float product,
                                                 float factor)
{
    return expf(factor * fmaxf(a_norm + b_norm - 2.0f * product, 0.0f));
}

// The sum of a value of each lane, the same in all lanes and in every run.
static __device__ __forceinline__ float warp_sum(float value)
{
    for (int apart = 16; apart > 0; apart /= 2)
        value += __shfl_xor_sync(0xFFFFFFFF, value, apart); // a sum of 2, 4, ... 32 lanes
    return value;
}

constexpr int NORM_THREADS = 256;
constexpr int POINTS = 8; // that a warp takes one after another

// Squared lengths of all points. A warp for each, so that its lanes read neighbours. It takes 8
// of them, one after another: a block that lives a moment only costs more than it computes.
static __global__ void norms(int m, int n, int k, const float *__restrict__ a,
                             const float *__restrict__ b, float *__restrict__ a_norm,
                             float *__restrict__ b_norm)
{
    const size_t warp = ((size_t)blockIdx.x * NORM_THREADS + threadIdx.x) / 32;
    const size_t end = (size_t)m + n; // both sets, one behind the other
    for (size_t point = warp * POINTS; point < (warp + 1) * POINTS && point < end; ++point) {
        const float *from = point < (size_t)m ? a + point * k : b + (point - m) * k;
        float sum = 0.0f;
        for (int i = threadIdx.x % 32; i < k; i += 32) // neighbours for neighbouring lanes
            sum += from[i] * from[i];
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            *(point < (size_t)m ? &a_norm[point] : &b_norm[point - m]) = sum;
    }
}

// The 4 elements at `from`, of which `count` exist, zeros for the others: they add nothing to a
// sum. ALIGNED says that k is a multiple of 4: all points begin on 16 bytes, no vector is cut.
template <bool ALIGNED>
static __device__ __forceinline__ float4 load4(const float *__restrict__ from, int count)
{
    if (ALIGNED)
        return count > 0 ? *(const float4 *)from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}

// Stores a vector of 4 dimensions transposed. A warp, 2 x 4 dimensions by 16 points, writes for
// each of the 4 to bank (k * pitch + point) % 32 = 4 k + point, which for k = 0 and 4 is all 32.
static __device__ __forceinline__ void deposit(float4 next, float *to, int pitch)
{
    to[0 * pitch] = next.x;
    to[1 * pitch] = next.y;
    to[2 * pitch] = next.z;
    to[3 * pitch] = next.w;
}

// The block's sources to shared memory, transposed, and the norm of each. A warp takes 8 dimensions
// of 4 sources at a time: it loads 32 bytes of each, and stores to all banks, since PITCH_M is 4
// times an odd number. Sources that are not there are copies of the last one. Not inlined: else
// addresses of it stay in registers.
static __device__ __noinline__ void prepare(struct plan p, const float *__restrict__ a,
                                            int first_row)
{
    extern __shared__ __align__(16) float sources[];
    struct space &space = *(struct space *)&sources[p.padded_k * PITCH_M];
    float norm[TILE_M / 16] = {};
    const int first_k = threadIdx.x % 8, source = threadIdx.x / 8, first = first_row + source;
#pragma unroll 4
    for (int k = first_k; k < p.padded_k; k += 8)
        for (int s = 0; s < TILE_M; s += 16) {
            const float own = k < p.k ? a[(size_t)min(first + s, p.m - 1) * p.k + k] : 0.0f;
            sources[k * PITCH_M + source + s] = own;
            norm[s / 16] += own * own;
        }
    for (int s = 0; s < TILE_M; s += 16) {
        for (int apart : {1, 2, 4}) // the lanes of a source
            norm[s / 16] += __shfl_xor_sync(0xFFFFFFFF, norm[s / 16], apart);
        if (first_k == 0)
            space.a_norm[source + s] = norm[s / 16];
    }
    __syncthreads(); // sources and norms are there
}

// Copies runs of 4 neighbours, `apart` elements apart, to registers.
template <int COUNT>
static __device__ __forceinline__ void pick(float (&values)[COUNT], const float *from, int apart)
{
    for (int i = 0; i < COUNT; i += 4)
        *(float4 *)&values[i] = *(const float4 *)&from[i / 4 * apart];
}

// A panel's multiply-adds: 4 vectors are read for 64 of them, down one column, up the next.
static __device__ __forceinline__ void multiply(float (&sum)[ROWS][COLS], const float *sources,
                                                const float *targets)
{
    float a_value[ROWS], b_value[COLS];
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        pick(a_value, sources + i * PITCH_M, 16); // two runs of 4, half a warp apart
        pick(b_value, targets + i * PITCH_N, 32);
        for (int x = 0; x < ROWS * COLS; ++x) {
            const int q = x / ROWS, r = q % 2 ? ROWS - 1 - x % ROWS : x % ROWS;
            sum[r][q] = fmaf(a_value[r], b_value[q], sum[r][q]);
        }
    }
}

// row_sum += K * weights, where K is the Gaussian of the products, sums.
static __device__ __forceinline__ void evaluate(float (&row_sum)[ROWS],
                                                const float (&sum)[ROWS][COLS], struct plan p,
                                                const float *__restrict__ w, int first_col,
                                                const float *a_norm)
{
    float own[ROWS];
    pick(own, a_norm, 16);
    for (int q = 0; q < COLS; ++q) {
        const int col = first_col + q / 4 * 32 + q % 4;
        const float norm = col < p.n ? p.b_norm[col] : 0.0f;
        const float weight = col < p.n ? w[col] : 0.0f; // a target that is not there adds nothing
        for (int r = 0; r < ROWS; ++r)
            row_sum[r] += gaussian(own[r], norm, sum[r][q], p.factor) * weight;
    }
}

// A block keeps its sources in shared memory and goes along all targets, or along its share. A warp
// adds its columns of each row by shuffles, tile by tile, and 32 threads the sums of the 4 warps.
template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, BLOCKS) void fused(const float *__restrict__ a,
                                                                const float *__restrict__ b,
                                                                const float *__restrict__ w,
                                                                struct plan p)
{
    extern __shared__ __align__(16) float sources[];
    struct space &space = *(struct space *)&sources[p.padded_k * PITCH_M];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lane_m = (lane % 2 + lane / 4 % 2 * 2) * 4; // of 4 x 8 lanes: see step 07
    const int lane_n = warp * WARP_N + (lane / 2 % 2 + lane / 8 * 2) * 4;
    const int first_row = (int)blockIdx.x * TILE_M;
    const int first_tile = (int)blockIdx.y * p.tiles_a_block;
    const int end_tile = min(first_tile + p.tiles_a_block, p.tiles); // this block's share ends
    const int from_k = threadIdx.x % 2 * 4, point = threadIdx.x / 2; // of 64 targets, 4 times
    float4 next[4];
    const auto load_next = [&](int tile, int k) {
        const int col = tile * TILE_N + point;
        const int count = p.k - k - from_k; // that the points have from here; 0 or less: none
        const float *from = b + (size_t)col * p.k + k + from_k;
        for (int g = 0; g < 4; ++g)
            next[g] = load4<ALIGNED>(from + g * 64 * p.k, col + g * 64 < p.n ? count : 0);
    };
    const auto deposit_next = [&](int to) {
        for (int g = 0; g < 4; ++g)
            deposit(next[g], &space.panel[to][from_k][g * 64 + point], PITCH_N);
    };
    int now = 0; // the panel being read; the other one is being filled
    load_next(first_tile, 0);
    deposit_next(now);
    prepare(p, a, first_row);
    space.row[warp][lane] = 0.0f; // a lane for each source; added to after the next barrier
    for (int tile = first_tile; tile < end_tile; ++tile) {
        float sum[ROWS][COLS] = {}; // in registers: every index is known when compiling
#pragma unroll 2
        for (int k = 0; k < p.k; k += TILE_K) {
            const bool is_last = k + TILE_K >= p.k; // the next panel is of the next tile
            load_next(is_last ? tile + 1 : tile, is_last ? 0 : k + TILE_K);
            multiply(sum, &sources[k * PITCH_M + lane_m], &space.panel[now][0][lane_n]);
            now = 1 - now;
            deposit_next(now);
            __syncthreads(); // the new panel is there, and all have read the old one
        }
        float row_sum[ROWS] = {};
        evaluate(row_sum, sum, p, w, tile * TILE_N + lane_n, &space.a_norm[lane_m]);
        for (int r = 0; r < ROWS; ++r) {
            for (int apart : {2, 8, 16}) // the lanes of a row differ in these three bits
                row_sum[r] += __shfl_xor_sync(0xFFFFFFFF, row_sum[r], apart);
            if (lane_n % 64 == 0)
                space.row[warp][lane_m + r / 4 * 16 + r % 4] += row_sum[r];
        }
    }
    __syncthreads(); // the sums of all warps are there
    const int row = threadIdx.x;
    if (row >= TILE_M || first_row + row >= p.m)
        return;
    float sum = space.row[0][row] + space.row[1][row] + space.row[2][row] + space.row[3][row];
    p.sums[(size_t)blockIdx.y * p.m + first_row + row] = sum;
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

// What does not fit the kernel above: any size and any bandwidth, and slow. A warp a source.
static __global__ void by_differences(struct lab_kernel_summation p, float factor)
{
    const float *own = p.a + (size_t)blockIdx.x * p.k, *other = p.b;
    float sum = 0.0f;
    for (int target = 0; target < p.n; ++target, other += p.k) {
        float distance = 0.0f;
        for (int i = threadIdx.x; i < p.k; i += 32)
            distance += (own[i] - other[i]) * (own[i] - other[i]); // no difference of large numbers
        sum += expf(factor * warp_sum(distance)) * p.w[target];
    }
    if (threadIdx.x == 0)
        p.v[blockIdx.x] = sum;
}

// No tiles where the sources do not fit in shared memory, of which other GPUs have less.
static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k, ((p->k - 1) / TILE_K + 1) * TILE_K};
    plan.shared_bytes = sizeof(float) * PITCH_M * plan.padded_k + sizeof(struct space);
    plan.factor = lab_exponent_factor(p->h);
    if (plan.shared_bytes > (size_t)lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))
        return plan;
    plan.tiles = (p->n - 1) / TILE_N + 1;
    const int at_once = BLOCKS * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int wanted = (at_once - 1) / ((p->m - 1) / TILE_M + 1) + 1; // shares that fill the GPU
    plan.tiles_a_block = (plan.tiles - 1) / wanted + 1;
    plan.shares = (plan.tiles - 1) / plan.tiles_a_block + 1; // none of them empty
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.b_norm = (float *)p->workspace;
    plan.sums = partials ? plan.b_norm + p->n : p->v;
    plan.workspace_bytes = (p->n + partials) * sizeof(float);
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
        by_differences<<<p->m, 32, 0, stream>>>(*p, plan.factor);
        return cudaGetLastError();
    }
    const size_t norm_blocks = ((size_t)p->n - 1) / (NORM_THREADS / 32 * POINTS) + 1;
    const dim3 grid((p->m - 1) / TILE_M + 1, plan.shares);
    auto *kernel = p->k % 4 == 0 ? fused<true> : fused<false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes);
    norms<<<norm_blocks, NORM_THREADS, 0, stream>>>(0, p->n, p->k, p->a, p->b, NULL, plan.b_norm);
    kernel<<<grid, THREADS, plan.shared_bytes, stream>>>(p->a, p->b, p->w, plan);
    if (plan.shares > 1)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"stationary", launch, workspace, LAB_ROW_REPEATABLE});
