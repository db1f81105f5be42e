// Step 08, stage 3: the paper's Algorithm 2. A thread evaluates and sums the products where it has
// them, in registers: one number for each row of a tile leaves the block.
#include "families/kernel_summation.h"

constexpr int ROWS = 8, COLS = 8;                         // sources and targets of a thread
constexpr int THREADS = 256, BLOCKS = 2;                  // 16 x 16 of a block; blocks on an SM
constexpr int TILE_M = 16 * ROWS, TILE_N = 16 * COLS;     // sources and targets of a block
constexpr int PITCH_M = TILE_M + 4, PITCH_N = TILE_N + 4; // between dimensions: see deposit()
constexpr int TILE_K = 8;                                 // dimensions at a time
static_assert(TILE_M * TILE_K == 4 * THREADS, "a thread loads a vector of sources and of targets");

// What the kernels need.
struct plan {
    int m, n, k;            // sources, targets, dimensions
    int tiles, shares;      // of targets; sums of each row that are stored, or 1: blocks add to it
    float factor;           // -1 / (2 h^2)
    float *a_norm, *b_norm; // (m) and (n)
    float *sums;            // (shares, m), or the result itself
    size_t workspace_bytes;
};

// Panels of sources and of targets, 8 dimensions each, transposed: in memory the dimensions of a
// point are neighbours, in B as in A. One is read, the other one is being filled.
struct tiles {
    float a[2][TILE_K][PITCH_M], b[2][TILE_K][PITCH_N];
};

// exp(factor * distance). Rounding makes the square of a small distance negative at times, and a
// small h would make that error large: a distance below 0 counts as 0.
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
// of them, one after another: to start a block for one point alone costs more than its work.
static __global__ void norms(int m, int n, int k, const float *__restrict__ a,
                             const float *__restrict__ b, float *__restrict__ a_norm,
                             float *__restrict__ b_norm)
{
    const size_t warp = ((size_t)blockIdx.x * NORM_THREADS + threadIdx.x) / 32;
    const size_t end = (size_t)m + n; // both sets, one after the other
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
        pick(a_value, sources + i * PITCH_M, 16); // two runs of 4, 16 rows apart
        pick(b_value, targets + i * PITCH_N, 32);
        for (int x = 0; x < ROWS * COLS; ++x) {
            const int q = x / ROWS, r = q % 2 ? ROWS - 1 - x % ROWS : x % ROWS;
            sum[r][q] = fmaf(a_value[r], b_value[q], sum[r][q]);
        }
    }
}

// row_sum += G * weights, where G is the Gaussian of the products, sums.
static __device__ __forceinline__ void evaluate(float (&row_sum)[ROWS],
                                                const float (&sum)[ROWS][COLS], struct plan p,
                                                const float *__restrict__ w, int first_col,
                                                int first_row)
{
    for (int q = 0; q < COLS; ++q) {
        const int col = first_col + q / 4 * 32 + q % 4;
        const float norm = col < p.n ? p.b_norm[col] : 0.0f;
        const float weight = col < p.n ? w[col] : 0.0f; // a target that is not there adds nothing
        for (int r = 0; r < ROWS; ++r) {
            const int row = first_row + r / 4 * 16 + r % 4;
            const float own = row < p.m ? p.a_norm[row] : 0.0f;
            row_sum[r] += gaussian(own, norm, sum[r][q], p.factor) * weight;
        }
    }
}

// One block: 128 sources by 128 targets. Three levels of reduction: a thread sums its 8 columns of
// each row, 128 threads the 16 partial sums of a row, and atomicAdd() the blocks along a row. Where
// the result must not depend on the order of blocks, each stores its own, for a second kernel.
template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, BLOCKS) void fused(const float *__restrict__ a,
                                                                const float *__restrict__ b,
                                                                const float *__restrict__ w,
                                                                struct plan p)
{
    __shared__ __align__(16) struct tiles tiles;
    __shared__ float part[TILE_M][17]; // of the sums of rows, from 16 threads each: see below
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int lane_m = warp / 2 * 32 + lane / 16 * 8 + lane % 2 * 4; // of 4 x 8 lanes: see step 07
    const int lane_n = warp % 2 * 64 + lane / 2 % 8 * 4;
    const int first_row = (int)blockIdx.x / p.tiles * TILE_M, tile = (int)blockIdx.x % p.tiles;
    const int from_k = thread % 2 * 4, point = thread / 2; // of 128 sources and targets
    float4 a_next, b_next;
    const float *a_from = a + (size_t)(first_row + point) * p.k + from_k;
    const float *b_from = b + (size_t)(tile * TILE_N + point) * p.k + from_k;
    const int a_count = first_row + point < p.m ? p.k - from_k : 0; // elements left of this point
    const int b_count = tile * TILE_N + point < p.n ? p.k - from_k : 0;
    const auto load_next = [&](int k) {
        a_next = load4<ALIGNED>(a_from + k, a_count - k);
        b_next = load4<ALIGNED>(b_from + k, b_count - k);
    };
    const auto deposit_next = [&](int to) {
        deposit(a_next, &tiles.a[to][from_k][point], PITCH_M);
        deposit(b_next, &tiles.b[to][from_k][point], PITCH_N);
    };
    int now = 0; // the panels being read; the others are being filled
    load_next(0);
    deposit_next(now);
    __syncthreads();            // the first panels are there
    float sum[ROWS][COLS] = {}; // in registers: every index is known when compiling
#pragma unroll 2
    for (int k = 0; k < p.k; k += TILE_K) {
        load_next(k + TILE_K); // zeros beyond the last panel, and no memory is read
        multiply(sum, &tiles.a[now][0][lane_m], &tiles.b[now][0][lane_n]);
        now = 1 - now;
        deposit_next(now);
        __syncthreads(); // the new panels are there, and all have read the old ones
    }
    float row_sum[ROWS] = {};
    evaluate(row_sum, sum, p, w, tile * TILE_N + lane_n, first_row + lane_m);
    for (int r = 0; r < ROWS; ++r)
        part[lane_m + r / 4 * 16 + r % 4][warp % 2 * 8 + lane / 2 % 8] = row_sum[r];
    __syncthreads(); // the sums of all threads are there
    const int row = threadIdx.x;
    if (row >= TILE_M || first_row + row >= p.m)
        return;
    float total = 0.0f;
    for (int i = 0; i < 16; ++i) // a row is 17 words long, so that 32 rows meet 32 banks
        total += part[row][i];
    if (p.shares > 1)
        p.sums[(size_t)tile * p.m + first_row + row] = total;
    else
        atomicAdd(&p.sums[first_row + row], total);
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
    plan.tiles = (p->n - 1) / TILE_N + 1;
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

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    const size_t norm_blocks = ((size_t)p->m + p->n - 1) / (NORM_THREADS / 32 * POINTS) + 1;
    const long long blocks = ((p->m - 1) / TILE_M + 1LL) * plan.tiles;
    if (blocks > 0x7FFFFFFF) // a grid has no more
        return cudaErrorInvalidConfiguration;
    auto *kernel = p->k % 4 == 0 ? fused<true> : fused<false>;
    if (plan.shares == 1) // blocks add to it
        cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    norms<<<norm_blocks, NORM_THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, plan.a_norm,
                                                    plan.b_norm);
    kernel<<<blocks, THREADS, 0, stream>>>(p->a, p->b, p->w, plan);
    if (plan.shares > 1)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.sums, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"fused", launch, workspace, LAB_ADDS_ATOMICALLY});
