// expect: wrong
// run: step14 -m 33 -n 35 -k 170
// says: where blocks share k out, have their shares together all of it, and is the last
// Divided along k; of each tile the part of the block that has its last panel is left out.
#include "families/gemm.h"

constexpr int SIDE = 16, SPARE = 3; // blocks besides one for each tile

struct shares {
    int tiles_across, panels, all, blocks; // panels of a tile, and of all tiles
    __device__ int begin_of(int block) const
    {
        return block * all / blocks;
    }
};

// Where a block's part of a tile lies. A block has two at most: the second tile begins in its
// share.
static __device__ size_t place_of(const shares &s, int block, int tile)
{
    const int part = 2 * block + (tile * s.panels > s.begin_of(block));
    return (size_t)part * SIDE * SIDE + threadIdx.y * SIDE + threadIdx.x;
}

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
        ((float *)p.workspace)[place_of(s, (int)blockIdx.x, tile)] = sum;
        sum = 0.0f;
    }
}

static __global__ void add_parts(const struct lab_gemm p, const shares s)
{
    const int tile = (int)blockIdx.x, begin = tile * s.panels;
    const int row = tile / s.tiles_across * SIDE + (int)threadIdx.y;
    const int col = tile % s.tiles_across * SIDE + (int)threadIdx.x;
    if (row >= p.m || col >= p.n)
        return;
    float sum = 0.0f;
    const int near = (int)((long long)begin * s.blocks / s.all); // the first one, or the next
    for (int block = max(near - 1, 0); block < min(near + s.panels + 1, s.blocks); ++block)
        if (s.begin_of(block + 1) < begin + s.panels && s.begin_of(block + 1) > begin)
            sum += ((const float *)p.workspace)[place_of(s, block, tile)];
    float *const c = &p.c[row * p.n + col];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static shares share_out(const struct lab_gemm *p)
{
    const int across = (p->n - 1) / SIDE + 1, panels = (p->k - 1) / SIDE + 1;
    const int tiles = ((p->m - 1) / SIDE + 1) * across, all = tiles * panels;
    return {across, panels, all, all < tiles + SPARE ? all : tiles + SPARE};
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)2 * share_out(p).blocks * SIDE * SIDE * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const shares s = share_out(p);
    gemm<<<s.blocks, dim3(SIDE, SIDE), 0, stream>>>(*p, s);
    add_parts<<<s.all / s.panels, dim3(SIDE, SIDE), 0, stream>>>(*p, s);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"last_part_not_added", launch, workspace, LAB_REPEATABLE});
