// expect: timeout
// run: step02 -m 36 -n 40 -k 44
// says: is the parity that of the wanted phase
// The producer waits for the release of the stage that it has just filled.
#include "families/gemm.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 16, CONSUMERS = TILE * TILE, T = CONSUMERS + 32, STAGES = 2;

static __global__ void gemm(const struct lab_gemm p, bool is_in_bulk)
{
    __shared__ alignas(16) float tile_a[STAGES][TILE][TILE], tile_b[STAGES][TILE][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    const int rows = min(TILE, p.m - top), columns = min(TILE, p.n - left);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], CONSUMERS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x > CONSUMERS || !is_in_bulk)
            return;
        for (int round = 0; round * TILE < p.k; ++round) {
            const int s = round % STAGES, k = round * TILE, depth = min(TILE, p.k - k);
            if (round > 0)
                while (!ptx::mbarrier_try_wait_parity(&empty[s], round / STAGES % 2))
                    ;
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[s], 4 * depth * (rows + columns));
            for (int i = 0; i < rows; ++i)
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile_a[s][i],
                                   p.a + (size_t)(top + i) * p.k + k, 4 * depth, &full[s]);
            for (int i = 0; i < depth; ++i)
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile_b[s][i],
                                   p.b + (size_t)(k + i) * p.n + left, 4 * columns, &full[s]);
        }
        return;
    }
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const bool is_there = y < rows && x < columns;
    float sum = 0.0f;
    for (int round = 0; is_in_bulk && round * TILE < p.k; ++round) {
        const int s = round % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[s], round / STAGES % 2)) // BUG
            ;
        for (int i = 0; is_there && i < min(TILE, p.k - round * TILE); ++i)
            sum += tile_a[s][y][i] * tile_b[s][i][x];
        ptx::mbarrier_arrive(&empty[s]);
    }
    for (int i = 0; is_there && !is_in_bulk && i < p.k; ++i)
        sum += p.a[(size_t)(top + y) * p.k + i] * p.b[(size_t)i * p.n + left + x];
    if (is_there) {
        float *const c = &p.c[(size_t)(top + y) * p.n + left + x];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), T, 0, stream>>>(
        *p, p->k % 4 == 0 && p->n % 4 == 0);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"bulk_roles_wait_for_each_other", launch});
