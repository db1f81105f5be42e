// expect: race
// run: step12 -m 18 -n 13 -k 43 --type f64
// The fragments of the next panel are loaded ahead, but its copies are waited for only after that.
#include "families/gemm.h"
#include "ptx/tensor.h"

#include <cuda_pipeline.h>

constexpr int TILE_K = 8, STAGES = 2;

static __device__ void start(double (*a)[TILE_K + 4], double (*b)[8 + 4], const lab_gemm &p,
                             int first_k)
{
    const int top = blockIdx.x * 16, left = blockIdx.y * 8;
    for (int i = threadIdx.x; i < 16 * TILE_K; i += 32) {
        const int row = top + i / TILE_K, k = first_k + i % TILE_K;
        const bool is_there = row < p.m && k < p.k;
        __pipeline_memcpy_async(&a[i / TILE_K][i % TILE_K],
                                is_there ? &p.a_double[row * p.row_a + k] : p.a_double, 8,
                                is_there ? 0 : 8);
    }
    for (int i = threadIdx.x; i < TILE_K * 8; i += 32) {
        const int k = first_k + i / 8, column = left + i % 8;
        const bool is_there = k < p.k && column < p.n;
        __pipeline_memcpy_async(&b[i / 8][i % 8],
                                is_there ? &p.b_double[k * p.row_b + column] : p.b_double, 8,
                                is_there ? 0 : 8);
    }
    __pipeline_commit();
}

static __device__ void load(double (&a)[4], double (&b)[2], const double (*from_a)[TILE_K + 4],
                            const double (*from_b)[8 + 4])
{
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 4; ++i)
        a[i] = from_a[g + i % 2 * 8][t + i / 2 * 4]; // BUG
    for (int i = 0; i < 2; ++i)
        b[i] = from_b[t + i * 4][g];
}

static __global__ void multiply(const struct lab_gemm p)
{
    __shared__ double a_tile[STAGES][16][TILE_K + 4], b_tile[STAGES][TILE_K][8 + 4];
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    const int top = blockIdx.x * 16, left = blockIdx.y * 8;
    double sum[4] = {}, a[2][4], b[2][2];
    start(a_tile[0], b_tile[0], p, 0);
    start(a_tile[1], b_tile[1], p, TILE_K);
    __pipeline_wait_prior(1);
    __syncthreads();
    load(a[0], b[0], a_tile[0], b_tile[0]);
#pragma unroll 2
    for (int first_k = 0, i = 0; first_k < p.k; first_k += TILE_K, i ^= 1) {
        load(a[i ^ 1], b[i ^ 1], a_tile[i ^ 1], b_tile[i ^ 1]);
        __pipeline_wait_prior(0);
        __syncthreads();
        start(a_tile[i], b_tile[i], p, first_k + 2 * TILE_K);
        ptx_mma_f64(sum, a[i], b[i]);
    }
    for (int i = 0; i < 4; ++i) {
        const int row = top + g + i / 2 * 8, column = left + 2 * t + i % 2;
        if (row < p.m && column < p.n) {
            double *const c = &p.c_double[row * p.row_c + column];
            *c = p.alpha_double * sum[i] + (p.beta_double == 0.0 ? 0.0 : p.beta_double * *c);
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    multiply<<<dim3((p->m - 1) / 16 + 1, (p->n - 1) / 8 + 1), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"fragments_before_the_wait", launch, NULL, LAB_GEMM_NN | LAB_GEMM_DOUBLES});
