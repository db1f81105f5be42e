// expect: race
// on a GPU: ok
// run: step14 -m 33 -n 35 -k 70
// says: another warp of the block has looked at the flag or counter
// says: a __syncthreads() belongs after the look
// Parts handed on; one thread waits for the flag, and the others do not wait for it.
#include "families/gemm.h"
#include "ptx/launch_early.h"

constexpr int SIDE = 16, SPARE = 3; // blocks besides one for each tile

struct shares {
    int tiles_across, panels, all, blocks; // panels of a tile, and of all tiles
    __device__ int begin_of(int block) const
    {
        return block * all / blocks;
    }
};

// No part is there.
static __global__ void clear(unsigned *ready, int count)
{
    ptx_let_next_begin();
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
        ready[i] = 0;
}

static __global__ void gemm(const struct lab_gemm p, const shares s, float *parts, unsigned *ready)
{
    __shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
    const int place = (int)threadIdx.x, x = place % SIDE, y = place / SIDE;
    const int block = (int)blockIdx.x, begin = s.begin_of(block);
    int end = s.begin_of(block + 1);
    while (end > begin) { // a tile, or what the block has of it, from the last to the first
        const int tile = (end - 1) / s.panels, from = max(begin, tile * s.panels);
        const int row = tile / s.tiles_across * SIDE + y, col = tile % s.tiles_across * SIDE + x;
        float sum = 0.0f;
        for (int panel = from; panel < end; ++panel) {
            const int first_k = panel % s.panels * SIDE;
            a_tile[y][x] = row < p.m && first_k + x < p.k ? p.a[row * p.k + first_k + x] : 0.0f;
            b_tile[y][x] = first_k + y < p.k && col < p.n ? p.b[(first_k + y) * p.n + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < SIDE; ++i)
                sum += a_tile[y][i] * b_tile[i][x];
            __syncthreads();
        }
        if (end % s.panels != 0) { // another block has the tile's last panel
            parts[block * SIDE * SIDE + place] = sum;
            __threadfence(); // the part is there before it is said to be
            __syncthreads();
            if (place == 0) {
                ptx_wait_for_earlier(); // the flags are clear
                atomicExch(&ready[block], 1);
            }
        } else {
            for (int other = block - 1; s.begin_of(other + 1) > tile * s.panels; --other) {
                if (place == 0) {
                    ptx_wait_for_earlier();
                    while (atomicAdd(&ready[other], 0) == 0)
                        ;
                    __threadfence(); // the part is read after this fence
                }
                sum += __ldcg(&parts[other * SIDE * SIDE + place]); // BUG
            }
            if (row < p.m && col < p.n) {
                float *const c = &p.c[row * p.n + col];
                *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
            }
        }
        end = from;
    }
}

static shares share_out(const struct lab_gemm *p)
{
    const int across = (p->n - 1) / SIDE + 1, panels = (p->k - 1) / SIDE + 1;
    const int tiles = ((p->m - 1) / SIDE + 1) * across, all = tiles * panels;
    return {across, panels, all, all < tiles + SPARE ? all : tiles + SPARE};
}

static size_t workspace(const struct lab_gemm *p)
{
    return share_out(p).blocks * (SIDE * SIDE * sizeof(float) + sizeof(unsigned));
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const shares s = share_out(p);
    float *const parts = (float *)p->workspace;
    unsigned *const ready = (unsigned *)(parts + s.blocks * SIDE * SIDE);
    clear<<<1, 128, 0, stream>>>(ready, s.blocks);
    return launch_early(gemm, s.blocks, SIDE * SIDE, 0, stream, *p, s, parts, ready);
}

LAB_EXPORT(gemm, {"flag_seen_by_one_warp", launch, workspace, LAB_REPEATABLE});
