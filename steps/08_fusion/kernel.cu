// Step 08: a kernel summation, V = K W with K(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)). Its heart is
// the product A B', since |a - b|^2 = |a|^2 + |b|^2 - 2 a b. Unfused, the product goes to memory,
// M x N values, and comes back to be evaluated and summed. Fused, a thread does both with the sums
// it holds in registers: one number for each row of a tile leaves the block.
#include "families/kernel_summation.h"

#include <cuda_pipeline.h>
#include <float.h>
#include <limits.h>
#include <math.h>

constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int VALUES = 8;            // rows and columns of a tile per thread, in two runs of 4
constexpr int TILE = SIDE * VALUES;  // 128 sources by 128 targets
constexpr int TILE_K = 8;            // dimensions at a time
constexpr int PAD = 4;               // see deposit(); a multiple of 4: every row stays aligned
constexpr int APART_M = 16;          // between the two runs of a thread, see step 07
constexpr int APART_N = 32;
static_assert(TILE * TILE_K == 4 * THREADS, "each thread loads one vector of A and one of B");
static_assert(TILE_K == 8 && PAD == 4, "transposed stores of a warp: 2 k by 16 rows, all banks");

// --- points and the Gaussian ---------------------------------------------------------------------

// -1 / (2 h^2), kept finite: 0 times infinity would be NaN where two points coincide.
static float exponent_factor(float h)
{
    const double factor = -0.5 / ((double)h * h);
    return factor < -FLT_MAX ? -FLT_MAX : (float)factor;
}

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
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        value += __shfl_xor_sync(0xFFFFFFFF, value, apart);
    return value;
}

constexpr int NORM_THREADS = 256;
constexpr int POINTS = 8; // that a warp takes one after another

// Squared lengths of all points. A warp for each, so that its lanes read neighbours.
static __global__ void norms(int m, int n, int k, const float *__restrict__ a,
                             const float *__restrict__ b, float *__restrict__ a_norm,
                             float *__restrict__ b_norm)
{
    const size_t warp = ((size_t)blockIdx.x * NORM_THREADS + threadIdx.x) / 32;
    const size_t end = (size_t)m + n;
    for (size_t point = warp * POINTS; point < (warp + 1) * POINTS && point < end; ++point) {
        const float *from = point < (size_t)m ? a + point * k : b + (point - m) * k;
        float sum = 0.0f;
        for (int i = threadIdx.x % 32; i < k; i += 32)
            sum += from[i] * from[i];
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            *(point < (size_t)m ? &a_norm[point] : &b_norm[point - m]) = sum;
    }
}

// --- the product, as in step 07, of two matrices of points ---------------------------------------

// Both tiles of a block, double buffered: (buffer, k, points). Transposed, both of them: in memory
// the dimensions of a point are neighbours, in B as in A.
struct tiles {
    float a[2][TILE_K][TILE + PAD];
    float b[2][TILE_K][TILE + PAD];
};

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

// Stores a vector of 4 k transposed: a warp, 2 x 4 k by 16 points, writes for each of the 4 to bank
// (k * (TILE + 4) + point) % 32 = 4 k + point, which for k = 0 and 4 is all 32.
static __device__ __forceinline__ void deposit(float4 next, float (&tile)[TILE_K][TILE + PAD],
                                               int k, int point)
{
    tile[k + 0][point] = next.x;
    tile[k + 1][point] = next.y;
    tile[k + 2][point] = next.z;
    tile[k + 3][point] = next.w;
}

// Copies two runs of 4 neighbours, `apart` elements apart, from a row of a tile to registers.
static __device__ __forceinline__ void pick(float (&values)[VALUES], const float *tile, int apart)
{
    *(float4 *)&values[0] = *(const float4 *)&tile[0];
    *(float4 *)&values[4] = *(const float4 *)&tile[apart];
}

// Adds VALUES x VALUES products for 2 VALUES reads; down one column, up the next, as in step 07.
static __device__ __forceinline__ void multiply(float (&sum)[VALUES][VALUES],
                                                const float (&a_value)[VALUES],
                                                const float (&b_value)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += a_value[r] * b_value[q];
        }
}

// First of a thread's rows in the tile; they are row_of(first, 0 .. 7). Of the columns likewise.
static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * 32 + thread % 32 / 16 * 8 + thread % 2 * 4;
}
static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * 64 + thread / 2 % 8 * 4;
}
static __device__ __forceinline__ int row_of(int first, int r)
{
    return first + r / 4 * APART_M + r % 4;
}
static __device__ __forceinline__ int col_of(int first, int q)
{
    return first + q / 4 * APART_N + q % 4;
}

// A thread's 8 x 8 products of the tile whose first source and target are given: lines 5 to 13 of
// the paper's Algorithm 2. Behind it all threads are done with the tiles.
template <bool ALIGNED>
static __device__ __forceinline__ void
tile_product(float (&sum)[VALUES][VALUES], struct tiles &tiles, int m, int n, int k,
             const float *__restrict__ a, const float *__restrict__ b, int first_row, int first_col)
{
    const int thread = threadIdx.x;
    const int ty = first_row_of(thread);
    const int tx = first_col_of(thread);
    const int from_k = thread % 2 * 4; // it loads 4 k of one source and of one target
    const int point = thread / 2;
    const float *a_from = a + (size_t)(first_row + point) * k + from_k;
    const float *b_from = b + (size_t)(first_col + point) * k + from_k;
    const int a_count = first_row + point < m ? k - from_k : 0; // elements left of this point
    const int b_count = first_col + point < n ? k - from_k : 0;
    int now = 0; // the buffer being read; the other one is being filled
    float4 a_next = load4<ALIGNED>(a_from, a_count);
    float4 b_next = load4<ALIGNED>(b_from, b_count);
    deposit(a_next, tiles.a[now], from_k, point);
    deposit(b_next, tiles.b[now], from_k, point);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll 2
    for (int next_k = TILE_K; next_k < k + TILE_K; next_k += TILE_K) {
        a_from += TILE_K;
        b_from += TILE_K;
        a_next = load4<ALIGNED>(a_from, a_count - next_k); // in the last turn zeros, from nowhere
        b_next = load4<ALIGNED>(b_from, b_count - next_k);
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_value[VALUES], b_value[VALUES];
            pick(a_value, &tiles.a[now][i][ty], APART_M);
            pick(b_value, &tiles.b[now][i][tx], APART_N);
            multiply(sum, a_value, b_value);
        }
        now = 1 - now;
        deposit(a_next, tiles.a[now], from_k, point);
        deposit(b_next, tiles.b[now], from_k, point);
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
}

// --- unfused: the product to memory, then one more pass, or two ----------------------------------

// C = A B', by the same product that `fused` has.
template <bool ALIGNED>
static __global__
__launch_bounds__(THREADS, 2) void product(int m, int n, int k, const float *__restrict__ a,
                                           const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) struct tiles tiles;
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    float sum[VALUES][VALUES] = {};
    tile_product<ALIGNED>(sum, tiles, m, n, k, a, b, first_row, first_col);
    const int ty = first_row + first_row_of(threadIdx.x);
    const int tx = first_col + first_col_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const int row = row_of(ty, r), col = col_of(tx, q);
            float *to = &c[(size_t)row * n + col];
            if (row < m && col < n && n % 4 == 0)
                *(float4 *)to = make_float4(sum[r][q], sum[r][q + 1], sum[r][q + 2], sum[r][q + 3]);
            else
                for (int i = 0; i < 4; ++i)
                    if (row < m && col + i < n)
                        to[i] = sum[r][q + i];
        }
}

constexpr int ROWS = 2;          // that a warp sums at a time: each weight is read once for both
constexpr int SUM_THREADS = 128; // 4 warps, 8 rows
constexpr int SUM_ROWS = SUM_THREADS / 32 * ROWS;

// v = K w, the evaluated matrix never written: the strong baseline's second half. It reads C once,
// 16 bytes a lane where n allows.
template <bool ALIGNED>
static __global__ __launch_bounds__(SUM_THREADS) void evaluate_and_sum(
    int m, int n, float factor, const float *__restrict__ c, const float *__restrict__ a_norm,
    const float *__restrict__ b_norm, const float *__restrict__ w, float *__restrict__ v)
{
    const int first = (int)(blockIdx.x * SUM_ROWS + threadIdx.x / 32 * ROWS);
    const int lane = threadIdx.x % 32;
    float sum[ROWS] = {}, norm[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        norm[r] = first + r < m ? a_norm[first + r] : 0.0f;
    if (ALIGNED) {
#pragma unroll 2
        for (int col = lane * 4; col < n; col += 128) {
            const float4 weight = *(const float4 *)&w[col];
            const float4 other = *(const float4 *)&b_norm[col];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                if (first + r >= m)
                    continue;
                const float4 ab = __ldcs((const float4 *)&c[(size_t)(first + r) * n + col]);
                sum[r] += gaussian(norm[r], other.x, ab.x, factor) * weight.x;
                sum[r] += gaussian(norm[r], other.y, ab.y, factor) * weight.y;
                sum[r] += gaussian(norm[r], other.z, ab.z, factor) * weight.z;
                sum[r] += gaussian(norm[r], other.w, ab.w, factor) * weight.w;
            }
        }
    } else {
        for (int col = lane; col < n; col += 32)
            for (int r = 0; r < ROWS; ++r)
                if (first + r < m)
                    sum[r] +=
                        gaussian(norm[r], b_norm[col], c[(size_t)(first + r) * n + col], factor) *
                        w[col];
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float total = warp_sum(sum[r]);
        if (lane == 0 && first + r < m)
            v[first + r] = total;
    }
}

// K in place of the product, for a product with W by the library: the paper's unfused form. A block
// takes whole rows.
template <bool ALIGNED>
static __global__ void evaluate(int m, int n, float factor, float *__restrict__ c,
                                const float *__restrict__ a_norm, const float *__restrict__ b_norm)
{
    for (unsigned row = blockIdx.x; row < (unsigned)m; row += gridDim.x) {
        const float norm = a_norm[row];
        float *own = c + (size_t)row * n;
        if (ALIGNED)
            for (int col = threadIdx.x * 4; col < n; col += 4 * blockDim.x) {
                const float4 other = *(const float4 *)&b_norm[col];
                float4 ab = *(const float4 *)&own[col];
                ab.x = gaussian(norm, other.x, ab.x, factor);
                ab.y = gaussian(norm, other.y, ab.y, factor);
                ab.z = gaussian(norm, other.z, ab.z, factor);
                ab.w = gaussian(norm, other.w, ab.w, factor);
                *(float4 *)&own[col] = ab;
            }
        else
            for (int col = threadIdx.x; col < n; col += blockDim.x)
                own[col] = gaussian(norm, b_norm[col], own[col], factor);
    }
}

// --- fused: the paper's Algorithm 2 --------------------------------------------------------------

// A thread's partial sums of its rows, in the shared memory that the tiles no longer need. 16
// threads share a row; one column more than that, so that a column's readers meet 32 banks.
struct partial_sums {
    float row[TILE][SIDE + 1];
};

union shared_space {
    struct tiles tiles;
    struct partial_sums sums;
};

// One block: 128 sources by 128 targets. Three levels of reduction: a thread sums its 8 columns of
// each row, 128 threads the 16 partial sums of a row, and atomicAdd() the blocks along a row. Where
// the result must not depend on the order of blocks, the last level goes to `partial`, (blocks
// along a row, m), for a second kernel.
template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, 2) void fused(
    int m, int n, int k, float factor, const float *__restrict__ a, const float *__restrict__ b,
    const float *__restrict__ a_norm, const float *__restrict__ b_norm, const float *__restrict__ w,
    float *__restrict__ v, float *__restrict__ partial)
{
    __shared__ __align__(16) union shared_space shared;
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int thread = threadIdx.x;
    const int ty = first_row_of(thread);
    const int tx = first_col_of(thread);
    float sum[VALUES][VALUES] = {};
    tile_product<ALIGNED>(sum, shared.tiles, m, n, k, a, b, first_row, first_col);
    float row_sum[VALUES] = {};
#pragma unroll
    for (int q = 0; q < VALUES; ++q) {
        const int col = first_col + col_of(tx, q);
        const float norm = col < n ? b_norm[col] : 0.0f;
        const float weight = col < n ? w[col] : 0.0f; // a target that is not there adds nothing
#pragma unroll
        for (int r = 0; r < VALUES; ++r) {
            const int row = first_row + row_of(ty, r);
            const float own = row < m ? a_norm[row] : 0.0f;
            row_sum[r] += gaussian(own, norm, sum[r][q], factor) * weight;
        }
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r) // nobody reads the tiles any more: see tile_product()
        shared.sums.row[row_of(ty, r)][thread / 32 % 2 * 8 + thread / 2 % 8] = row_sum[r];
    __syncthreads(); // partial sums of all threads are there
    const int row = first_row + thread;
    if (thread >= TILE || row >= m)
        return;
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
        total += shared.sums.row[thread][i];
    if (partial)
        partial[(size_t)(blockIdx.x % tiles_across) * m + row] = total;
    else
        atomicAdd(&v[row], total);
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
        sum += partial[(size_t)i * m + row];
    v[row] = sum;
}

// --- fused_fast: what today's GPU allows ---------------------------------------------------------

// A thread sums 12 x 8 values: 5 vectors read for 96 products, where 8 x 8 takes 4 for 64, and
// still three blocks an SM. The lanes of a warp are 4 x 8, its warps side by side along the
// targets.
constexpr int FAST_ROWS = 12, FAST_COLS = 8;
constexpr int FAST_WARPS = 4;
constexpr int FAST_THREADS = 32 * FAST_WARPS;
constexpr int FAST_M = 4 * FAST_ROWS;       // sources of a block
constexpr int WARP_N = 8 * FAST_COLS;       // targets of a warp at a time
constexpr int FAST_N = FAST_WARPS * WARP_N; // and of its block
constexpr int PITCH = FAST_M + 4;      // between the dimensions of the sources in shared memory
constexpr int PANEL = TILE_K * WARP_N; // a warp's targets in 8 dimensions
constexpr int HEAD = 2 * WARP_N;       // their norms, then their weights
constexpr int MOST_K = 448;            // the sources of two blocks still fit in an SM of an H200
constexpr int ENOUGH_BLOCKS = 3;       // for each SM
constexpr int GROUPS = FAST_M / 16;    // of sources, as a warp loads them
constexpr float SMALL_NORM = 32.0f;    // 2^32 times a weight below LARGE_WEIGHT does not overflow
constexpr float LARGE_WEIGHT = 1e20f;
static_assert(FAST_ROWS % 4 == 0 && FAST_COLS % 4 == 0, "a thread's values are runs of 4");

// The targets as pack_targets() leaves them. Their number is rounded up to whole tiles, and one
// tile of zeros follows, for the warps that load one panel further than there are.
struct packed {
    float *panels; // (tile, 8 dimensions, warp, dimension, target): every warp reads on and on
    float *heads;  // (tile, warp, HEAD)
    float *centre; // (k), about which all points are taken
    int tiles, k;  // of FAST_N targets; dimensions, a multiple of TILE_K
};

// What shared memory holds, behind the sources themselves, (k, PITCH).
struct fast_space {
    float a_norm[FAST_M];
    float row[FAST_WARPS][FAST_M]; // what each warp has of the norms, then of the sums
    struct {
        float panel[2][PANEL];
        float head[2][HEAD];
    } warp[FAST_WARPS];
};

static __device__ __forceinline__ float exp2_approximate(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// An asynchronous copy of 16 bytes, past L1. Addresses of shared memory are 32 bits here:
// all copies of a panel then share two registers, and their distances are in the instructions.
static __device__ __forceinline__ void copy16(unsigned to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Norms of a pair of targets lie swapped: see start_sums().
static __host__ __device__ constexpr int norm_at(int target)
{
    return target % WARP_N ^ 1;
}

// Targets for the product: about a centre near them, so that norms are small and their difference
// loses little; times 2 scale, so that the product is the exponent of 2 itself; in the order in
// which the warps read them. A warp takes one. With c the centre, a' = a - c, b' = b - c and s =
// scale,
//     -s |a - b|^2 = -s |a'|^2 + a . 2 s b' - s b' . (b' + 2 c),  the last of which is its norm.
static __global__ void pack_targets(int n, int k, float scale, const float *__restrict__ b,
                                    const float *__restrict__ w, struct packed to)
{
    const int target = (int)(blockIdx.x * NORM_THREADS + threadIdx.x) / 32;
    const int tile = target / FAST_N, warp = target / WARP_N;
    const int some = n < 8 ? n : 8; // targets whose mean is near enough
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < to.k; i += 32) {
        float centre = 0.0f, own = 0.0f;
#pragma unroll 4
        for (int j = 0; i < k && j < some; ++j)
            centre += b[(size_t)j * k + i];
        centre /= (float)some;
        if (i < k && target < n)
            own = b[(size_t)target * k + i] - centre;
        if (target == 0)
            to.centre[i] = centre;
        sum += own * (own + 2.0f * centre);
        const size_t panel =
            ((size_t)tile * (to.k / TILE_K) + i / TILE_K) * FAST_WARPS + warp % FAST_WARPS;
        to.panels[panel * PANEL + i % TILE_K * WARP_N + target % WARP_N] = 2.0f * scale * own;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0 && tile < to.tiles) {
        to.heads[(size_t)warp * HEAD + norm_at(target)] = -scale * sum;
        to.heads[(size_t)warp * HEAD + WARP_N + target % WARP_N] = target < n ? w[target] : 0.0f;
    }
}

// Whether no weight of the block's targets is so large that its product with 2^SMALL_NORM
// overflows. A thread answers for those that it looks at.
static __device__ __forceinline__ bool weights_are_small(const struct packed &b, int first_tile,
                                                         int end_tile)
{
    const float *heads = b.heads + (size_t)first_tile * FAST_WARPS * HEAD;
    float largest = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x * 4; i < (end_tile - first_tile) * FAST_N; i += FAST_THREADS * 4) {
        const float4 w = *(const float4 *)&heads[(size_t)(i / WARP_N) * HEAD + WARP_N + i % WARP_N];
        largest =
            fmaxf(largest, fmaxf(fmaxf(fabsf(w.x), fabsf(w.y)), fmaxf(fabsf(w.z), fabsf(w.w))));
    }
    return largest < LARGE_WEIGHT;
}

// The block's sources to shared memory, transposed, and what a thread sees of their squared
// distances to the centre, a group of 16 sources each. A warp takes 8 dimensions at a time, two
// lanes a source, and writes (4 k PITCH + source) % 32 = 16 k + source, k 0 or 1: to all banks.
// Rows that are not there are copies of the last one, never stored; dimensions that are not there
// are 0.
template <bool ALIGNED>
static __device__ __forceinline__ void
load_sources(float (&norm)[GROUPS], float *sources, const float *__restrict__ a,
             const float *__restrict__ centre, int rows, int k, int padded_k)
{
    const int source = threadIdx.x % 32 / 2;
#pragma unroll 2
    for (int i = threadIdx.x / 32 * 8 + threadIdx.x % 2 * 4; i < padded_k; i += FAST_WARPS * 8) {
        const float4 c = *(const float4 *)&centre[i];
        float4 own[GROUPS];
#pragma unroll
        for (int g = 0; g < GROUPS; ++g)
            own[g] = load4<ALIGNED>(a + (size_t)min(g * 16 + source, rows - 1) * k + i, k - i);
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
            float *to = &sources[i * PITCH + g * 16 + source];
            to[0 * PITCH] = own[g].x;
            to[1 * PITCH] = own[g].y;
            to[2 * PITCH] = own[g].z;
            to[3 * PITCH] = own[g].w;
            norm[g] += (own[g].x - c.x) * (own[g].x - c.x) + (own[g].y - c.y) * (own[g].y - c.y) +
                       (own[g].z - c.z) * (own[g].z - c.z) + (own[g].w - c.w) * (own[g].w - c.w);
        }
    }
}

// All that comes before the first product: the sources and -scale |a - centre|^2 of them to shared
// memory. Returns whether norms and weights are small, the same in the whole block. A function of
// its own, not inlined: else the compiler keeps addresses of it alive through the products, and
// sums go to local memory.
static __device__ __noinline__ bool prepare(const struct packed &b, int first_tile, int end_tile,
                                            const float *__restrict__ a, int rows, int k,
                                            float scale)
{
    extern __shared__ __align__(16) float sources[];
    struct fast_space &space = *(struct fast_space *)&sources[b.k * PITCH];
    const int thread = threadIdx.x;
    bool small = weights_are_small(b, first_tile, end_tile);
    float norm[GROUPS] = {};
    if (k % 4 == 0)
        load_sources<true>(norm, sources, a, b.centre, rows, k, b.k);
    else
        load_sources<false>(norm, sources, a, b.centre, rows, k, b.k);
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        norm[g] = scale * (norm[g] + __shfl_xor_sync(0xFFFFFFFF, norm[g], 1));
        if (thread % 2 == 0)
            space.row[thread / 32][g * 16 + thread % 32 / 2] = norm[g];
        small = small && norm[g] < SMALL_NORM / FAST_WARPS; // not so for NaN
    }
    small = __syncthreads_and(small); // the sources and the warps' parts of norms are there
    if (thread < FAST_M) {
        float sum = 0.0f;
        for (int warp = 0; warp < FAST_WARPS; ++warp)
            sum += space.row[warp][thread];
        space.a_norm[thread] = -sum;
    }
    __syncthreads(); // the norms are there
    return small;
}

// The sums start at the norms of the targets. Read into the registers of the sums at once, which
// copies of them would cost 96 instructions; volatile, or the compiler reads 8 and copies. Four
// neighbours that are read together lie in four neighbouring registers. Pairs are swapped, so that
// the sum for an even target lies in an odd register: a product reads a sum and a target, and the
// two banks of registers give one operand each a cycle.
static __device__ __forceinline__ void start_sums(float (&sum)[FAST_ROWS][FAST_COLS],
                                                  const float *norms)
{
#pragma unroll
    for (int r = 0; r < FAST_ROWS; ++r)
#pragma unroll
        for (int q = 0; q < FAST_COLS; q += 4)
            asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(sum[r][q + 1]), "=f"(sum[r][q]), "=f"(sum[r][q + 3]),
                           "=f"(sum[r][q + 2])
                         : "r"(shared_address(norms + q * 8)));
}

// The values of a thread in one dimension.
struct fragment {
    float source[FAST_ROWS], target[FAST_COLS];
};

static __device__ __forceinline__ void pick(struct fragment &at, const float *sources,
                                            const float *targets)
{
#pragma unroll
    for (int r = 0; r < FAST_ROWS; r += 4)
        *(float4 *)&at.source[r] = *(const float4 *)&sources[r * 4];
#pragma unroll
    for (int q = 0; q < FAST_COLS; q += 4)
        *(float4 *)&at.target[q] = *(const float4 *)&targets[q * 8];
}

// Along one row, back along the next, so that two of the three operands of a product are those of
// the one before or come from different banks. Rows 3 2 1 0 7 6 and so on: of many orders tried the
// one that the compiler keeps best.
static __device__ __forceinline__ void multiply(float (&sum)[FAST_ROWS][FAST_COLS],
                                                const struct fragment &at)
{
#pragma unroll
    for (int x = 0; x < FAST_ROWS; ++x)
#pragma unroll
        for (int y = 0; y < FAST_COLS; ++y) {
            const int r = x ^ 3;
            const int q = x % 2 ? y : FAST_COLS - 1 - y;
            sum[r][q] = fmaf(at.source[r], at.target[q], sum[r][q]);
        }
}

// A panel's products. The values of the next dimension are read while this one's are multiplied.
static __device__ __forceinline__ void multiply_panel(float (&sum)[FAST_ROWS][FAST_COLS],
                                                      const float *sources, const float *targets)
{
    struct fragment at[2];
    pick(at[0], sources, targets);
#pragma unroll
    for (int i = 0; i < TILE_K; i += 2) {
        pick(at[1], sources + (i + 1) * PITCH, targets + (i + 1) * WARP_N);
        multiply(sum, at[0]);
        if (i + 2 < TILE_K)
            pick(at[0], sources + (i + 2) * PITCH, targets + (i + 2) * WARP_N);
        multiply(sum, at[1]);
    }
}

// row_sum += exp2(exponents) * weights. Where the norms of sources are small, they wait until all
// is summed, 2^(x + y) = 2^x 2^y; else they are added here, and what rounding made positive counts
// as 0.
template <bool SMALL>
static __device__ __forceinline__ void evaluate_tile(float (&row_sum)[FAST_ROWS],
                                                     const float (&sum)[FAST_ROWS][FAST_COLS],
                                                     const float *weights, const float *a_norm)
{
    float weight[FAST_COLS];
#pragma unroll
    for (int q = 0; q < FAST_COLS; q += 4)
        *(float4 *)&weight[q] = *(const float4 *)&weights[q * 8];
#pragma unroll
    for (int run = 0; run < FAST_ROWS; run += 4) {
        float norm[4];
        if (!SMALL)
            *(float4 *)norm = *(const float4 *)&a_norm[run * 4];
#pragma unroll
        for (int q = 0; q < FAST_COLS; ++q)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float own = sum[run + i][q];
                const float exponent = SMALL ? own : fminf(own + norm[i], 0.0f);
                row_sum[run + i] = fmaf(exp2_approximate(exponent), weight[q], row_sum[run + i]);
            }
    }
}

// Sums over the lanes of a warp that share a row, then over the warps, and stores the block's rows.
static __device__ __forceinline__ void store_rows(struct fast_space &space,
                                                  const float (&row_sum)[FAST_ROWS],
                                                  int row_of_lane, bool first_of_row, bool small,
                                                  int rows, float *__restrict__ v)
{
    const int thread = threadIdx.x;
#pragma unroll
    for (int r = 0; r < FAST_ROWS; ++r) {
        float sum = row_sum[r];
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 2); // the lanes of a row differ in these three bits
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 8);
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 16);
        if (first_of_row)
            space.row[thread / 32][row_of_lane + r / 4 * 16 + r % 4] = sum;
    }
    __syncthreads(); // the sums of all warps are there
    if (thread >= FAST_M || thread >= rows)
        return;
    float sum = 0.0f;
    for (int warp = 0; warp < FAST_WARPS; ++warp)
        sum += space.row[warp][thread];
    v[thread] = small ? sum * exp2_approximate(space.a_norm[thread]) : sum;
}

// A block keeps its 48 sources in shared memory, all dimensions of them, and goes along all
// targets, or along its share: nothing is added between blocks where there are enough of them. A
// warp copies the targets that it alone reads, and waits for no other warp from its first product
// to its last. v: (blockIdx.y, m).
static __global__ __launch_bounds__(FAST_THREADS,
                                    3) void fused_fast(int m, int k, int tiles_a_block, float scale,
                                                       const float *__restrict__ a, struct packed b,
                                                       float *__restrict__ v)
{
    extern __shared__ __align__(16) float sources[];
    struct fast_space &space = *(struct fast_space *)&sources[b.k * PITCH];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lane_m = (lane % 2 + lane / 4 % 2 * 2) * 4;
    const int lane_n = (lane / 2 % 2 + lane / 8 * 2) * 4;
    const int first_row = (int)blockIdx.x * FAST_M;
    const int rows = m - first_row;
    const int first_tile = (int)blockIdx.y * tiles_a_block;
    const int end_tile = min(first_tile + tiles_a_block, b.tiles);
    auto &own = space.warp[warp];

    const float *from =
        b.panels + ((size_t)first_tile * b.k / TILE_K * FAST_WARPS + warp) * PANEL + 4 * lane;
    const unsigned to = shared_address(&own.panel[0][4 * lane]);
    unsigned other = 0; // the panel to fill, in bytes; after copy_panel() the one to read
    const auto copy_panel = [&] {
#pragma unroll
        for (int i = 0; i < PANEL; i += 128)
            copy16(to + other + i * (unsigned)sizeof(float), from + i);
        from += FAST_WARPS * PANEL;
        other ^= PANEL * sizeof(float);
        __pipeline_commit();
    };
    const auto copy_head = [&](int tile) {
        copy16(shared_address(&own.head[tile % 2][4 * lane]),
               &b.heads[((size_t)tile * FAST_WARPS + warp) * HEAD + 4 * lane]);
    };

    copy_head(first_tile);
    copy_panel();
    const bool small = prepare(b, first_tile, end_tile, a + (size_t)first_row * k, rows, k, scale);

    float row_sum[FAST_ROWS] = {};
    for (int tile = first_tile; tile < end_tile; ++tile) {
        float sum[FAST_ROWS][FAST_COLS];
        const float *head = &own.head[tile % 2][lane_n];
        __pipeline_wait_prior(0);
        __syncwarp(); // this head is there, and no lane reads the other one any more
        if (tile + 1 < end_tile)
            copy_head(tile + 1);
        start_sums(sum, head);
        const float *at = &sources[lane_m];
#pragma unroll 1
        for (int panel = 0; panel < b.k / TILE_K; ++panel) {
            __pipeline_wait_prior(0);
            __syncwarp(); // this panel is there, and no lane reads the other one any more
            copy_panel();
            multiply_panel(sum, at, &own.panel[0][other / sizeof(float) + lane_n]);
            at += TILE_K * PITCH;
        }
        if (small)
            evaluate_tile<true>(row_sum, sum, head + WARP_N, &space.a_norm[lane_m]);
        else
            evaluate_tile<false>(row_sum, sum, head + WARP_N, &space.a_norm[lane_m]);
    }
    store_rows(space, row_sum, lane_m, lane_n == 0, small, rows,
               v + (size_t)blockIdx.y * m + first_row);
}

// --- launches ------------------------------------------------------------------------------------

// What lies in the workspace: the norms of A, those of B, then the row's own. Each part begins on
// 256 bytes.
struct parts {
    float *a_norm, *b_norm, *rest;
};

static size_t padded(size_t count)
{
    return (count + 63) / 64 * 64;
}

static size_t norm_count(const struct lab_kernel_summation *p)
{
    return padded(p->m) + padded(p->n);
}

static struct parts parts_of(const struct lab_kernel_summation *p)
{
    float *first = (float *)p->workspace;
    return {first, first + padded(p->m), first + norm_count(p)};
}

static size_t matrix_workspace(const struct lab_kernel_summation *p)
{
    return (norm_count(p) + (size_t)p->m * p->n) * sizeof(float);
}

static int tiles_along(int points)
{
    return (points - 1) / TILE + 1;
}

static size_t fused_workspace(const struct lab_kernel_summation *p)
{
    const size_t partials = p->deterministic ? (size_t)tiles_along(p->n) * p->m : 0;
    return (norm_count(p) + partials) * sizeof(float);
}

static cudaError_t launch_norms(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    constexpr size_t A_BLOCK = NORM_THREADS / 32 * POINTS;
    const size_t blocks = ((size_t)p->m + p->n - 1) / A_BLOCK + 1;
    const struct parts at = parts_of(p);
    norms<<<(unsigned)blocks, NORM_THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, at.a_norm,
                                                         at.b_norm);
    return cudaGetLastError();
}

// Tiles of the whole matrix, one block each. A grid of more blocks than that cannot be launched.
static cudaError_t count_blocks(const struct lab_kernel_summation *p, int *blocks)
{
    const long long count = (long long)tiles_along(p->m) * tiles_along(p->n);
    *blocks = (int)count;
    return count <= INT_MAX ? cudaSuccess : cudaErrorInvalidConfiguration;
}

static cudaError_t launch_product(const struct lab_kernel_summation *p, float *c,
                                  cudaStream_t stream)
{
    int blocks;
    const cudaError_t status = count_blocks(p, &blocks);
    if (status != cudaSuccess)
        return status;
    if (p->k % 4 == 0)
        product<true><<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, c);
    else
        product<false><<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, c);
    return cudaGetLastError();
}

// OWN: by step 07's product, else by the library's.
template <bool OWN>
static cudaError_t launch_unfused(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct parts at = parts_of(p);
    const float factor = exponent_factor(p->h);
    const int blocks = (p->m - 1) / SUM_ROWS + 1;
    cudaError_t status = launch_norms(p, stream);
    if (status == cudaSuccess)
        status =
            OWN ? launch_product(p, at.rest, stream)
                : p->library->product(p->library, p->m, p->n, p->k, p->a, p->b, at.rest, stream);
    if (status != cudaSuccess)
        return status;
    if (p->n % 4 == 0)
        evaluate_and_sum<true><<<blocks, SUM_THREADS, 0, stream>>>(
            p->m, p->n, factor, at.rest, at.a_norm, at.b_norm, p->w, p->v);
    else
        evaluate_and_sum<false><<<blocks, SUM_THREADS, 0, stream>>>(
            p->m, p->n, factor, at.rest, at.a_norm, at.b_norm, p->w, p->v);
    return cudaGetLastError();
}

static cudaError_t launch_with_gemv(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct parts at = parts_of(p);
    const float factor = exponent_factor(p->h);
    const int blocks = p->m < 16384 ? p->m : 16384;
    cudaError_t status = launch_norms(p, stream);
    if (status == cudaSuccess)
        status = p->library->product(p->library, p->m, p->n, p->k, p->a, p->b, at.rest, stream);
    if (status != cudaSuccess)
        return status;
    if (p->n % 4 == 0)
        evaluate<true>
            <<<blocks, 256, 0, stream>>>(p->m, p->n, factor, at.rest, at.a_norm, at.b_norm);
    else
        evaluate<false>
            <<<blocks, 256, 0, stream>>>(p->m, p->n, factor, at.rest, at.a_norm, at.b_norm);
    status = cudaGetLastError();
    if (status != cudaSuccess)
        return status;
    return p->library->product_with_vector(p->library, p->m, p->n, at.rest, p->w, p->v, stream);
}

static cudaError_t launch_fused(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct parts at = parts_of(p);
    float *partial = p->deterministic ? at.rest : NULL;
    const float factor = exponent_factor(p->h);
    int blocks;
    cudaError_t status = count_blocks(p, &blocks);
    if (status == cudaSuccess && !p->deterministic) // blocks add to it
        status = cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    if (status == cudaSuccess)
        status = launch_norms(p, stream);
    if (status != cudaSuccess)
        return status;
    if (p->k % 4 == 0)
        fused<true><<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, factor, p->a, p->b, at.a_norm,
                                                    at.b_norm, p->w, p->v, partial);
    else
        fused<false><<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, factor, p->a, p->b,
                                                     at.a_norm, at.b_norm, p->w, p->v, partial);
    if (p->deterministic)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, tiles_along(p->n), partial,
                                                               p->v);
    return cudaGetLastError();
}

// How fused_fast goes about it: what the workspace holds, and how many blocks share the targets of
// a source.
struct fast_plan {
    struct packed b;
    float *partial; // (shares, m), or the result itself
    int shares, tiles_a_block;
    size_t shared_bytes, workspace_bytes;
    float scale;
};

static int multiprocessors()
{
    int device = 0, count = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) ==
                       cudaSuccess
               ? count
               : 1;
}

static struct fast_plan fast_plan_of(const struct lab_kernel_summation *p)
{
    struct fast_plan plan = {};
    plan.b.tiles = (p->n - 1) / FAST_N + 1;
    plan.b.k = ((p->k - 1) / TILE_K + 1) * TILE_K;
    const int blocks = (p->m - 1) / FAST_M + 1;
    const int wanted = (ENOUGH_BLOCKS * multiprocessors() - 1) / blocks + 1;
    plan.tiles_a_block = (plan.b.tiles - 1) / wanted + 1;
    plan.shares = (plan.b.tiles - 1) / plan.tiles_a_block + 1;
    const size_t panels = (size_t)(plan.b.tiles + 1) * FAST_N * plan.b.k;
    const size_t heads = (size_t)plan.b.tiles * FAST_WARPS * HEAD;
    const size_t partials = plan.shares > 1 ? (size_t)plan.shares * p->m : 0;
    plan.b.panels = (float *)p->workspace;
    plan.b.heads = plan.b.panels + padded(panels);
    plan.b.centre = plan.b.heads + padded(heads);
    plan.partial = plan.shares > 1 ? plan.b.centre + padded(plan.b.k) : p->v;
    plan.workspace_bytes =
        (padded(panels) + padded(heads) + padded(plan.b.k) + partials) * sizeof(float);
    plan.shared_bytes = plan.b.k * PITCH * sizeof(float) + sizeof(struct fast_space);
    plan.scale = -exponent_factor(p->h) * (float)M_LOG2E;
    return plan;
}

// Sources of too many dimensions do not fit in shared memory, of which other GPUs have less, and a
// scale too large would make the targets infinite: then `fused` does it.
static bool fast_fits(const struct lab_kernel_summation *p)
{
    int device = 0, shared_bytes = 0;
    return p->k <= MOST_K && -exponent_factor(p->h) < 1e15f &&
           cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
               cudaSuccess &&
           fast_plan_of(p).shared_bytes <= (size_t)shared_bytes;
}

static size_t fused_fast_workspace(const struct lab_kernel_summation *p)
{
    return fast_fits(p) ? fast_plan_of(p).workspace_bytes : fused_workspace(p);
}

static cudaError_t launch_fused_fast(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    if (!fast_fits(p))
        return launch_fused(p, stream);
    const struct fast_plan plan = fast_plan_of(p);
    const int blocks = (p->m - 1) / FAST_M + 1;
    const unsigned packs = (unsigned)(plan.b.tiles + 1) * (FAST_N / (NORM_THREADS / 32));
    const cudaError_t status = cudaFuncSetAttribute(
        fused_fast, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan.shared_bytes);
    if (status != cudaSuccess)
        return status;
    pack_targets<<<packs, NORM_THREADS, 0, stream>>>(p->n, p->k, plan.scale, p->b, p->w, plan.b);
    fused_fast<<<dim3(blocks, plan.shares), FAST_THREADS, plan.shared_bytes, stream>>>(
        p->m, p->k, plan.tiles_a_block, plan.scale, p->a, plan.b, plan.partial);
    if (plan.shares > 1)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, plan.shares, plan.partial,
                                                               p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"cublas_unfused", launch_unfused<false>, matrix_workspace},
           {"cublas_gemv", launch_with_gemv, matrix_workspace},
           {"cuda_unfused", launch_unfused<true>, matrix_workspace},
           {"fused", launch_fused, fused_workspace, LAB_ROW_ADDS_ATOMICALLY},
           {"fused_fast", launch_fused_fast, fused_fast_workspace, LAB_ROW_ADDS_ATOMICALLY});
