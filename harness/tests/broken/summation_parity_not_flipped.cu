// expect: timeout
// run: step08 -m 40 -n 300 -k 3
// says: is the parity that of the wanted phase
// From the second tile on, parity 0 is that of the phase before.
#include "families/kernel_summation.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int T = 32, TILE = 64;

static __global__ void sum_kernels(const struct lab_kernel_summation p, float factor)
{
    __shared__ alignas(16) float weights[TILE];
    __shared__ uint64_t full;
    const int i = blockIdx.x * T + threadIdx.x, whole = p.n / TILE * TILE;
    float v = 0.0f;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, T);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int start = 0; start < p.n; start += TILE) {
        float terms[TILE];
        if (start < whole && threadIdx.x == 0) {
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &full,
                                    4 * TILE);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, weights, p.w + start,
                               4 * TILE, &full);
        }
        if (start == whole)
            for (int j = threadIdx.x; start + j < p.n; j += T)
                weights[j] = p.w[start + j];
        ptx::mbarrier_arrive(&full);
        for (int j = 0; j < TILE && start + j < p.n && i < p.m; ++j) {
            float square = 0.0f;
            for (int k = 0; k < p.k; ++k) {
                const float d = p.a[(size_t)i * p.k + k] - p.b[(size_t)(start + j) * p.k + k];
                square += d * d;
            }
            terms[j] = expf(square * factor);
        }
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) // BUG
            ;
        for (int j = 0; j < TILE && start + j < p.n && i < p.m; ++j)
            v += terms[j] * weights[j];
        __syncthreads();
    }
    if (i < p.m)
        p.v[i] = v;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_kernels<<<(p->m + T - 1) / T, T, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"summation_parity_not_flipped", launch});
