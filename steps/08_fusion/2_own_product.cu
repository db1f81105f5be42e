// Step 08, stage 2: step 07's product in the library's place, of two matrices of points: in memory
// the dimensions of a point are neighbours, in B as in A, so both tiles are transposed.
#include "families/kernel_summation.h"
#include "summation/evaluate.h"
#include "summation/norms.h"
#include "tile/fragment.h"
#include "tile/global.h"

constexpr int ROWS = 8, COLS = 8;                     // sources and targets of a thread
constexpr int THREADS = 256, BLOCKS = 2;              // 16 x 16 of a block; blocks on an SM
constexpr int TILE_M = 16 * ROWS, TILE_N = 16 * COLS; // sources and targets of a block
constexpr int LD_A = TILE_M + 4, LD_B = TILE_N + 4;   // between dimensions: see store_transposed()
constexpr int TILE_K = 8;                             // dimensions at a time
static_assert(TILE_M * TILE_K == 4 * THREADS, "a thread loads a vector of sources and of targets");

// What the launches need: all that lies in the workspace, each part of it aligned for vectors.
struct plan {
    int m, n, k;            // sources, targets, dimensions
    int tiles;              // of targets
    float factor;           // -1 / (2 h^2)
    float *a_norm, *b_norm; // (m) and (n)
    float *product;         // (m, n)
    size_t workspace_bytes;
};

// Panels of sources and of targets, 8 dimensions each, transposed: in memory the dimensions of a
// point are neighbours, in B as in A. One is read, the other one is being filled.
struct tiles {
    float a[2][TILE_K][LD_A], b[2][TILE_K][LD_B];
};

// Stores a vector of 4 dimensions transposed. A warp, 2 x 4 dimensions by 16 points, writes for
// each of the 4 to bank (k * ld + point) % 32 = 4 k + point, which for k = 0 and 4 is all 32.
static __device__ __forceinline__ void store_transposed(float4 next, float *to, int ld)
{
    to[0 * ld] = next.x;
    to[1 * ld] = next.y;
    to[2 * ld] = next.z;
    to[3 * ld] = next.w;
}

// A panel's multiply-adds: 4 vectors are read for 64 of them, down one column, up the next.
static __device__ __forceinline__ void multiply(float (&sum)[ROWS][COLS], const float *sources,
                                                const float *targets)
{
    float a_fragment[ROWS], b_fragment[COLS];
#pragma unroll
    for (int i = 0; i < TILE_K; ++i) {
        tile_load_fragment(a_fragment, sources + i * LD_A, 16); // two runs of 4, 16 rows apart
        tile_load_fragment(b_fragment, targets + i * LD_B, 32);
        tile_outer_product(sum, a_fragment, b_fragment);
    }
}

// The product of sources and targets, of which a block computes a tile, 128 x 128.
template <bool ALIGNED>
static __global__ __launch_bounds__(THREADS, BLOCKS) void product(const float *__restrict__ a,
                                                                  const float *__restrict__ b,
                                                                  struct plan p)
{
    __shared__ __align__(16) struct tiles tiles;
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
        a_next = tile_load4<ALIGNED>(a_from + k, a_count - k);
        b_next = tile_load4<ALIGNED>(b_from + k, b_count - k);
    };
    const auto store_next = [&](int to) {
        store_transposed(a_next, &tiles.a[to][from_k][point], LD_A);
        store_transposed(b_next, &tiles.b[to][from_k][point], LD_B);
    };
    int now = 0; // the panels being read; the others are being filled
    load_next(0);
    store_next(now);
    __syncthreads();            // the first panels are there
    float sum[ROWS][COLS] = {}; // in registers: every index is known when compiling
#pragma unroll 2
    for (int k = 0; k < p.k; k += TILE_K) {
        load_next(k + TILE_K); // zeros beyond the last panel, and no memory is read
        multiply(sum, &tiles.a[now][0][lane_m], &tiles.b[now][0][lane_n]);
        now = 1 - now;
        store_next(now);
        __syncthreads(); // the new panels are there, and all have read the old ones
    }
    for (int r = 0; r < ROWS; ++r)
        for (int q = 0; q < COLS; q += 4) {
            const int row = first_row + lane_m + r / 4 * 16 + r % 4;
            const int col = tile * TILE_N + lane_n + q / 4 * 32;
            float *to = &p.product[(size_t)row * p.n + col];
            if (row < p.m && col < p.n && p.n % 4 == 0) // a vector of 4 is whole, and aligned
                *(float4 *)to = *(const float4 *)&sum[r][q];
            else
                for (int i = 0; i < 4; ++i)
                    if (row < p.m && col + i < p.n)
                        to[i] = sum[r][q + i];
        }
}

static size_t padded(size_t count)
{
    return (count + 63) / 64 * 64; // what follows begins on 256 bytes
}

static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k};
    plan.tiles = (p->n - 1) / TILE_N + 1;
    plan.factor = lab_exponent_factor(p->h);
    plan.a_norm = (float *)p->workspace;
    plan.b_norm = plan.a_norm + padded(p->m);
    plan.product = plan.b_norm + padded(p->n);
    plan.workspace_bytes = (padded(p->m) + padded(p->n) + (size_t)p->m * p->n) * sizeof(float);
    return plan;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return plan_of(p).workspace_bytes;
}

// Kernel after kernel on one stream: each finds what the one before it wrote.
// EVALUATED: G is written, and read again to be summed.
template <bool EVALUATED>
static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    const long long blocks = ((p->m - 1) / TILE_M + 1LL) * plan.tiles;
    if (blocks > 0x7FFFFFFF) // a grid has no more
        return cudaErrorInvalidConfiguration;
    summation_launch_norms(p->m, p->n, p->k, p->a, p->b, plan.a_norm, plan.b_norm, stream);
    auto *multiply = p->k % 4 == 0 ? product<true> : product<false>;
    multiply<<<blocks, THREADS, 0, stream>>>(p->a, p->b, plan);
    auto *evaluate = EVALUATED ? summation_launch_gemv : summation_launch_evaluate;
    evaluate(p->m, p->n, plan.factor, plan.product, plan.a_norm, plan.b_norm, p->w, p->v, stream);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"cuda_gemv", launch<true>, workspace},
           {"cuda_unfused", launch<false>, workspace});
