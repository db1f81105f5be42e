// expect: race
// run: step02 -m 36 -n 40 -k 44
// says: before the asynchronous copy at
// An ordinary arrival does not wait for the copies of its thread.
#include "families/gemm.h"

#include <cuda/ptx>
#include <cuda_pipeline.h>

namespace ptx = cuda::ptx;

constexpr int TILE = 16, T = TILE * TILE;

static __device__ void copy(float *to, const float *from, bool is_there)
{
    __pipeline_memcpy_async(to, from, 4, is_there ? 0 : 4);
}

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    __shared__ uint64_t full[2], empty[2];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    const int rounds = (p.k + TILE - 1) / TILE;
    float sum = 0.0f;
    for (int s = 0; threadIdx.x == 0 && s < 2; ++s) {
        ptx::mbarrier_init(&full[s], T);
        ptx::mbarrier_init(&empty[s], T);
    }
    __syncthreads();
    for (int next = 0; next <= rounds; ++next) {
        const int into = next % 2, from = 1 - into, round = next - 1, k = next * TILE;
        if (next >= 2 && next < rounds)
            while (!ptx::mbarrier_try_wait_parity(&empty[into], (next / 2 - 1) % 2))
                ;
        if (next < rounds) {
            const bool a_there = row < p.m && k + x < p.k, b_there = k + y < p.k && column < p.n;
            copy(&tile_a[into][y][x], a_there ? &p.a[(size_t)row * p.k + k + x] : p.a, a_there);
            copy(&tile_b[into][y][x], b_there ? &p.b[(size_t)(k + y) * p.n + column] : p.b,
                 b_there);
            ptx::mbarrier_arrive(&full[into]);
        }
        if (round < 0)
            continue;
        while (!ptx::mbarrier_try_wait_parity(&full[from], round / 2 % 2))
            ;
        for (int i = 0; i < TILE; ++i)
            sum += tile_a[from][y][i] * tile_b[from][i][x]; // BUG
        ptx::mbarrier_arrive(&empty[from]);
    }
    if (row < p.m && column < p.n) {
        float *const c = &p.c[(size_t)row * p.n + column];
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), T, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"copies_count_at_once", launch});
