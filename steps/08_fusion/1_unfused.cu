// Step 08, stage 1: a kernel summation, v = G w with G(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)). Its
// heart is the product A B', since |a - b|^2 = |a|^2 + |b|^2 - 2 a b. The library makes it in
// memory, M x N values, which come back to be evaluated and summed: in one kernel, or in one kernel
// and one of the library.
#include "families/kernel_summation.h"
#include "tile/reduce.h"

// What the launches need: all that lies in the workspace, each part of it aligned for vectors.
struct plan {
    int m, n, k;            // sources, targets, dimensions
    float factor;           // -1 / (2 h^2)
    float *a_norm, *b_norm; // (m) and (n)
    float *product;         // (m, n)
    size_t workspace_bytes;
};

// exp(factor * distance). Rounding makes the square of a small distance negative at times, and a
// small h would make that error large: a distance below 0 counts as 0.
static __device__ __forceinline__ float gaussian(float a_norm, float b_norm, float product,
                                                 float factor)
{
    return expf(factor * fmaxf(a_norm + b_norm - 2.0f * product, 0.0f));
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
        sum = tile_warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            *(point < (size_t)m ? &a_norm[point] : &b_norm[point - m]) = sum;
    }
}

constexpr int WARP_ROWS = 2;     // that a warp sums at a time: each weight is read once for both
constexpr int SUM_THREADS = 128; // 4 warps, 8 rows
constexpr int SUM_ROWS = SUM_THREADS / 32 * WARP_ROWS;

// v = G w, the evaluated matrix never written: the strong baseline's second half. It reads C once,
// 16 bytes a lane where n allows.
// A warp goes along two rows at once, so that each norm and each weight is read for both. A lane
// sums some of the columns; the 32 sums are added at the end, by shuffles. ALIGNED says
// that n is a multiple of 4: all rows of C begin on 16 bytes.
template <bool ALIGNED>
static __global__ __launch_bounds__(SUM_THREADS) void evaluate_and_sum(
    int m, int n, float factor, const float *__restrict__ c, const float *__restrict__ a_norm,
    const float *__restrict__ b_norm, const float *__restrict__ w, float *__restrict__ v)
{
    const int first = (int)(blockIdx.x * SUM_ROWS + threadIdx.x / 32 * WARP_ROWS);
    const int lane = threadIdx.x % 32;
    float sum[WARP_ROWS] = {}, norm[WARP_ROWS];
    for (int r = 0; r < WARP_ROWS; ++r)
        norm[r] = first + r < m ? a_norm[first + r] : 0.0f; // read once for the whole row
    if (ALIGNED) {
#pragma unroll 2
        for (int col = lane * 4; col < n; col += 128) { // 512 bytes of each row at a time
            const float4 weight = *(const float4 *)&w[col];
            const float4 other = *(const float4 *)&b_norm[col];
            for (int r = 0; r < WARP_ROWS; ++r) {
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
            for (int r = 0; r < WARP_ROWS; ++r)
                if (first + r < m)
                    sum[r] +=
                        gaussian(norm[r], b_norm[col], c[(size_t)(first + r) * n + col], factor) *
                        w[col];
    }
    for (int r = 0; r < WARP_ROWS; ++r) {
        const float total = tile_warp_sum(sum[r]);
        if (lane == 0 && first + r < m)
            v[first + r] = total;
    }
}

// G in place of the product, for a product with w by the library: the paper's unfused form. A block
// takes whole rows.
template <bool ALIGNED>
static __global__ void evaluate(int m, int n, float factor, float *__restrict__ c,
                                const float *__restrict__ a_norm, const float *__restrict__ b_norm)
{
    for (unsigned row = blockIdx.x; row < (unsigned)m; row += gridDim.x) {
        const float norm = a_norm[row];
        float *own = c + (size_t)row * n;
        if (ALIGNED)
            for (int col = threadIdx.x * 4; col < n; col += 4 * blockDim.x) { // 16 bytes a thread
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

static size_t padded(size_t count)
{
    return (count + 63) / 64 * 64; // what follows begins on 256 bytes
}

static struct plan plan_of(const struct lab_kernel_summation *p)
{
    struct plan plan = {p->m, p->n, p->k};
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
// EVALUATED: G is written, and the library sums, as in the paper's unfused form.
template <bool EVALUATED>
static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const struct plan plan = plan_of(p);
    const size_t norm_blocks = ((size_t)p->m + p->n - 1) / (NORM_THREADS / 32 * POINTS) + 1;
    norms<<<norm_blocks, NORM_THREADS, 0, stream>>>(p->m, p->n, p->k, p->a, p->b, plan.a_norm,
                                                    plan.b_norm);
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess)
        status =
            p->library->product(p->library, p->m, p->n, p->k, p->a, p->b, plan.product, stream);
    if (status != cudaSuccess)
        return status;
    if (EVALUATED) {
        auto *kernel = p->n % 4 == 0 ? evaluate<true> : evaluate<false>;
        kernel<<<min(p->m, 16384), 256, 0, stream>>>(p->m, p->n, plan.factor, plan.product,
                                                     plan.a_norm, plan.b_norm);
        status = cudaGetLastError();
        if (status != cudaSuccess)
            return status;
        return p->library->product_with_vector(p->library, p->m, p->n, plan.product, p->w, p->v,
                                               stream);
    }
    auto *kernel = p->n % 4 == 0 ? evaluate_and_sum<true> : evaluate_and_sum<false>;
    kernel<<<(p->m - 1) / SUM_ROWS + 1, SUM_THREADS, 0, stream>>>(
        p->m, p->n, plan.factor, plan.product, plan.a_norm, plan.b_norm, p->w, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"cublas_unfused", launch<false>, workspace},
           {"cublas_gemv", launch<true>, workspace});
