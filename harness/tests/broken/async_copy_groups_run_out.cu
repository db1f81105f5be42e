// expect: race
// run: step14 -m 33 -n 35 -k 70
// says: commit a group in each iteration, an empty one where nothing is left to copy
// says not: __pipeline_wait_prior(0)
// Three panels in shared memory; behind the last panel there are no groups, and the wait for all
// but one leaves the one that is used on its way.
#include "families/gemm.h"

#include <cuda_pipeline.h>

constexpr int SIDE = 16, STAGES = 3;

struct stage {
    float a[SIDE][SIDE], b[SIDE][SIDE];
};

// Zeros behind the edges.
static __device__ void copy(const struct lab_gemm &p, int row, int col, int first_k, stage &to)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const bool a_there = row < p.m && first_k + x < p.k, b_there = first_k + y < p.k && col < p.n;
    __pipeline_memcpy_async(&to.a[y][x], a_there ? &p.a[(size_t)row * p.k + first_k + x] : p.a, 4,
                            a_there ? 0 : 4);
    __pipeline_memcpy_async(&to.b[y][x], b_there ? &p.b[(size_t)(first_k + y) * p.n + col] : p.b, 4,
                            b_there ? 0 : 4);
}

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ stage stages[STAGES];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, across = (p.n - 1) / SIDE + 1;
    const int row = (int)blockIdx.x / across * SIDE + y, col = (int)blockIdx.x % across * SIDE + x;
    const int panels = (p.k - 1) / SIDE + 1;
    float sum = 0.0f;
    for (int panel = 0; panel < STAGES - 1; ++panel) {
        if (panel < panels)
            copy(p, row, col, panel * SIDE, stages[panel]);
        __pipeline_commit();
    }
    for (int panel = 0; panel < panels; ++panel) {
        const int next = panel + STAGES - 1;
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (next < panels) {
            copy(p, row, col, next * SIDE, stages[next % STAGES]);
            __pipeline_commit();
        }
        const stage &now = stages[panel % STAGES];
        for (int i = 0; i < SIDE; ++i)
            sum += now.a[y][i] * now.b[i][x]; // BUG
    }
    if (row >= p.m || col >= p.n)
        return;
    float *const c = &p.c[(size_t)row * p.n + col];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / SIDE + 1) * ((p->n - 1) / SIDE + 1);
    gemm<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"async_copy_groups_run_out", launch});
