// Step 08, stage 3: the paper's Algorithm 2. A thread evaluates and sums the products where it has
// them, in registers: one number for each row of a tile leaves the block.
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
    for (int q = 0; q < VALUES; ++q) {
        const int col = first_col + place(tx, q, APART_N);
        const float norm = col < n ? b_norm[col] : 0.0f;
        const float weight = col < n ? w[col] : 0.0f; // a target that is not there adds nothing
        for (int r = 0; r < VALUES; ++r) {
            const int row = first_row + place(ty, r, APART_M);
            const float own = row < m ? a_norm[row] : 0.0f;
            row_sum[r] += gaussian(own, norm, sum[r][q], factor) * weight;
        }
    }
    for (int r = 0; r < VALUES; ++r) // all have read the tiles
        shared.sums.row[place(ty, r, APART_M)][thread / 32 % 2 * 8 + thread / 2 % 8] = row_sum[r];
    __syncthreads(); // partial sums of all threads are there
    const int row = first_row + thread;
    if (thread >= TILE || row >= m)
        return;
    float total = 0.0f;
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
        sum += partial[(size_t)i * m + row]; // neighbours again for neighbouring threads
    v[row] = sum;
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

static size_t fused_workspace(const struct lab_kernel_summation *p)
{
    const size_t partials = p->deterministic ? (size_t)((p->n - 1) / TILE + 1) * p->m : 0;
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

static cudaError_t launch_fused(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct parts at = parts_of(p);
    const float factor = lab_exponent_factor(p->h);
    const int tiles_across = (p->n - 1) / TILE + 1;
    const long long tiles = ((p->m - 1) / TILE + 1LL) * tiles_across;
    if (tiles > 0x7FFFFFFF) // a grid has no more blocks
        return cudaErrorInvalidConfiguration;
    cudaError_t status = launch_norms(p, stream);
    if (status == cudaSuccess && !p->deterministic) // blocks add to it
        status = cudaMemsetAsync(p->v, 0, (size_t)p->m * sizeof(float), stream);
    if (status != cudaSuccess)
        return status;
    auto *kernel = p->k % 4 == 0 ? fused<true> : fused<false>;
    kernel<<<(int)tiles, THREADS, 0, stream>>>(p->m, p->n, p->k, factor, p->a, p->b, at.a_norm,
                                               at.b_norm, p->w, p->v,
                                               p->deterministic ? at.rest : NULL);
    if (p->deterministic)
        sum_partials<<<(p->m - 1) / 256 + 1, 256, 0, stream>>>(p->m, tiles_across, at.rest, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"fused", launch_fused, fused_workspace, LAB_ROW_ADDS_ATOMICALLY});
