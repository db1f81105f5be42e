// expect: wrong
// on a GPU: varies
// run: step14 -m 17 -n 19 -k 170
// says: in any order
// Divided along k; says that it gives the same bits every time, and blocks add their parts to C as
// they arrive.
#include "families/gemm.h"

constexpr int SIDE = 16, SPARE = 3; // blocks besides one for each tile

struct shares {
    int tiles_across, panels, all, blocks; // panels of a tile, and of all tiles
    __device__ int begin_of(int block) const
    {
        return block * all / blocks;
    }
};

static __global__ void gemm(const struct lab_gemm p, const shares s)
{
    __shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, end = s.begin_of((int)blockIdx.x + 1);
    float sum = 0.0f;
    for (int panel = s.begin_of((int)blockIdx.x); panel < end; ++panel) {
        const int tile = panel / s.panels, first_k = panel % s.panels * SIDE;
        const int row = tile / s.tiles_across * SIDE + y, col = tile % s.tiles_across * SIDE + x;
        a_tile[y][x] = row < p.m && first_k + x < p.k ? p.a[row * p.k + first_k + x] : 0.0f;
        b_tile[y][x] = first_k + y < p.k && col < p.n ? p.b[(first_k + y) * p.n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < SIDE; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
        if (panel + 1 < end && (panel + 1) % s.panels != 0)
            continue;
        if (row < p.m && col < p.n)
            atomicAdd(&p.c[row * p.n + col], p.alpha * sum);
        sum = 0.0f;
    }
}

static __global__ void scale(const struct lab_gemm p)
{
    for (int col = (int)threadIdx.x; col < p.n; col += (int)blockDim.x) {
        float *const c = &p.c[blockIdx.x * (size_t)p.n + col];
        *c = p.beta == 0.0f ? 0.0f : p.beta * *c;
    }
}

static shares share_out(const struct lab_gemm *p)
{
    const int across = (p->n - 1) / SIDE + 1, panels = (p->k - 1) / SIDE + 1;
    const int tiles = ((p->m - 1) / SIDE + 1) * across, all = tiles * panels;
    return {across, panels, all, all < tiles + SPARE ? all : tiles + SPARE};
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const shares s = share_out(p);
    scale<<<p->m, 64, 0, stream>>>(*p);
    gemm<<<s.blocks, dim3(SIDE, SIDE), 0, stream>>>(*p, s);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"parts_in_order_of_arrival", launch, NULL, LAB_REPEATABLE});
