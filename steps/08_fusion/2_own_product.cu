// Step 08, stage 2: step 07's product in the library's place, of two matrices of points: in memory
// the dimensions of a point are neighbours, in B as in A, so both tiles are transposed.
#include "families/kernel_summation.h"

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
    for (int q = 0; q < VALUES; ++q)
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += a_value[r] * b_value[q];
        }
}

// First of a thread's rows and columns in the tile, and the others from there, as in step 07.
static __device__ __forceinline__ int first_row_of(int thread)
{
    return thread / 64 * 32 + thread % 32 / 16 * 8 + thread % 2 * 4;
}
static __device__ __forceinline__ int first_col_of(int thread)
{
    return thread / 32 % 2 * 64 + thread / 2 % 8 * 4;
}
static __device__ __forceinline__ int place(int first, int i, int apart)
{
    return first + i / 4 * apart + i % 4;
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
    for (int r = 0; r < VALUES; ++r)
        for (int q = 0; q < VALUES; q += 4) {
            const int row = place(ty, r, APART_M), col = place(tx, q, APART_N);
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
// A warp goes along two rows at once, so that each norm and each weight is read for both. A lane
// sums its own share of the columns; the 32 shares are added at the end, by shuffles. ALIGNED says
// that n is a multiple of 4: all rows of C begin on 16 bytes.
template <bool ALIGNED>
static __global__ __launch_bounds__(SUM_THREADS) void evaluate_and_sum(
    int m, int n, float factor, const float *__restrict__ c, const float *__restrict__ a_norm,
    const float *__restrict__ b_norm, const float *__restrict__ w, float *__restrict__ v)
{
    const int first = (int)(blockIdx.x * SUM_ROWS + threadIdx.x / 32 * ROWS);
    const int lane = threadIdx.x % 32;
    float sum[ROWS] = {}, norm[ROWS];
    for (int r = 0; r < ROWS; ++r)
        norm[r] = first + r < m ? a_norm[first + r] : 0.0f; // read once for the whole row
    if (ALIGNED) {
#pragma unroll 2
        for (int col = lane * 4; col < n; col += 128) { // 512 bytes of each row a turn
            const float4 weight = *(const float4 *)&w[col];
            const float4 other = *(const float4 *)&b_norm[col];
            for (int r = 0; r < ROWS; ++r) {
                if (first + r >= m) // the last warp may have one row only
                    continue;
                // Read once, so it need not stay in the caches.
                const float4 ab = __ldcs((const float4 *)&c[(size_t)(first + r) * n + col]);
                sum[r] += gaussian(norm[r], other.x, ab.x, factor) * weight.x;
                sum[r] += gaussian(norm[r], other.y, ab.y, factor) * weight.y;
                sum[r] += gaussian(norm[r], other.z, ab.z, factor) * weight.z;
                sum[r] += gaussian(norm[r], other.w, ab.w, factor) * weight.w;
            }
        }
    } else {
        for (int col = lane; col < n; col += 32) // rows begin anywhere: element by element
            for (int r = 0; r < ROWS; ++r)
                if (first + r < m)
                    sum[r] +=
                        gaussian(norm[r], b_norm[col], c[(size_t)(first + r) * n + col], factor) *
                        w[col];
    }
    for (int r = 0; r < ROWS; ++r) {
        const float total = warp_sum(sum[r]); // each lane has a share of the columns
        if (lane == 0 && first + r < m)
            v[first + r] = total;
    }
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

static cudaError_t launch_norms(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    constexpr size_t A_BLOCK = NORM_THREADS / 32 * POINTS;
    const size_t blocks = ((size_t)p->m + p->n - 1) / A_BLOCK + 1;
    const struct parts at = parts_of(p);
    norms<<<(unsigned)blocks, NORM_THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, at.a_norm,
                                                         at.b_norm);
    return cudaGetLastError();
}

// Kernel after kernel on one stream: each finds what the one before it wrote.
static cudaError_t launch_unfused(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct parts at = parts_of(p);
    const float factor = lab_exponent_factor(p->h);
    const int blocks = (p->m - 1) / SUM_ROWS + 1;
    const long long tiles = ((p->m - 1) / TILE + 1LL) * ((p->n - 1) / TILE + 1);
    if (tiles > 0x7FFFFFFF) // a grid has no more blocks
        return cudaErrorInvalidConfiguration;
    const cudaError_t status = launch_norms(p, stream);
    if (status != cudaSuccess)
        return status;
    auto *multiply = p->k % 4 == 0 ? product<true> : product<false>;
    multiply<<<(int)tiles, THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, at.rest);
    auto *kernel = p->n % 4 == 0 ? evaluate_and_sum<true> : evaluate_and_sum<false>;
    kernel<<<blocks, SUM_THREADS, 0, stream>>>(p->m, p->n, factor, at.rest, at.a_norm, at.b_norm,
                                               p->w, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"cuda_unfused", launch_unfused, matrix_workspace});
