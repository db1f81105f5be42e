// expect: ok
// As many parts for every tile, whatever the number of tiles.
#include "families/gemm.h"

constexpr int VALUES = 4;            // rows and columns of C per thread
constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int TILE = SIDE * VALUES;  // rows and columns of C per tile: 64
constexpr int TILE_K = 16;           // k of a panel
constexpr int BLOCKS_PER_SM = 4;
[[maybe_unused]] constexpr int LEAST = 8; // panels of a share: fewer would cost more than they save

// The panels of all tiles stand in one row, those of tile 0 first. Each block has a run of them.
struct shares {
    int tiles_across, panels, all, blocks; // panels of a tile, and of all tiles

    // The first panel of a block, and of block `blocks` the end of all; and the block of a panel.
    // BEGIN SOLUTION: equal shares in place of whole tiles, for any number of blocks
    __host__ __device__ int begin_of(int block) const
    {
        const int tiles = all / panels, parts = blocks / tiles, tile = block / parts,
                  part = block % parts, each = (panels - 1) / parts + 1;
        return tile * panels + min(panels, part * each);
    }
    __device__ int block_of(int panel) const
    {
        const int parts = blocks / (all / panels), each = (panels - 1) / parts + 1;
        return panel / panels * parts + panel % panels / each;
    }
    //| __host__ __device__ int begin_of(int block) const
    //| {
    //|     return block * panels;
    //| }
    //| __device__ int block_of(int panel) const
    //| {
    //|     return panel / panels;
    //| }
    // END SOLUTION
    // Whether one block has all of a tile.
    __device__ bool is_whole(int tile) const
    {
        return block_of(tile * panels) == block_of((tile + 1) * panels - 1);
    }
};

// As many blocks as the multiprocessors hold at the same time, unless shares would be too small.
static shares share_out(const struct lab_gemm *p)
{
    const int across = (p->n - 1) / TILE + 1, panels = (p->k - 1) / TILE_K + 1;
    const int tiles = ((p->m - 1) / TILE + 1) * across, all = tiles * panels;
    // BEGIN SOLUTION: how many blocks? LEAST panels each, and lab_device_attribute() knows the GPU
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const int parts = max(1, min(held / tiles, panels / LEAST));
    return {across, panels, all, tiles * parts};
    //| return {across, panels, all, tiles};
    // END SOLUTION
}

// The place of a block's part of a tile in scratch memory, and how many places there are.
static __device__ int place_of(const shares &s, int block, int tile)
{
    // BEGIN SOLUTION: a block may have two parts, and a tile has several
    return block; // from part to part one of the two goes up, or both
    //| return 0;
    // END SOLUTION
}

static int place_count(const shares &s)
{
    // BEGIN SOLUTION: as many as parts can have
    return s.blocks;
    //| return 1;
    // END SOLUTION
}

// C = alpha * sum + beta * C of row r and column q of a thread's values. When beta is 0, C may hold
// anything, NaN too: it is not read.
static __device__ __forceinline__ void store(const struct lab_gemm &p, const shares &s, int tile,
                                             int r, int q, float sum)
{
    const int row = tile / s.tiles_across * TILE + (int)threadIdx.x / SIDE + r * SIDE;
    const int col = tile % s.tiles_across * TILE + (int)threadIdx.x % SIDE + q * SIDE;
    float *const c = &p.c[(size_t)row * p.n + col];
    if (row < p.m && col < p.n)
        *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

// Brings a panel to shared memory, zeros where it hangs over an edge.
static __device__ __forceinline__ void load(const struct lab_gemm &p, int first_row, int first_col,
                                            int first_k, float (*a_tile)[TILE_K],
                                            float (*b_tile)[TILE])
{
    const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    const int a_k = first_k + x, b_k = first_k + y;
    for (int i = 0; i < TILE; i += SIDE) {
        const int row = first_row + y + i, col = first_col + x + i;
        a_tile[y + i][x] = row < p.m && a_k < p.k ? p.a[(size_t)row * p.k + a_k] : 0.0f;
        b_tile[y][x + i] = b_k < p.k && col < p.n ? p.b[(size_t)b_k * p.n + col] : 0.0f;
    }
}

static __global__ __launch_bounds__(THREADS, BLOCKS_PER_SM) void gemm(const struct lab_gemm p,
                                                                      const shares s)
{
    __shared__ float a_tile[TILE][TILE_K], b_tile[TILE_K][TILE];
    const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    const int block = (int)blockIdx.x, end = s.begin_of(block + 1);
    for (int at = s.begin_of(block); at < end;) { // a turn for each tile of which it has panels
        const int tile = at / s.panels, end_of_tile = min(end, (tile + 1) * s.panels);
        const int row = tile / s.tiles_across * TILE, col = tile % s.tiles_across * TILE;
        float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
        for (; at < end_of_tile; ++at) {
            load(p, row, col, at % s.panels * TILE_K, a_tile, b_tile);
            __syncthreads(); // all threads have loaded the panel
#pragma unroll
            for (int i = 0; i < TILE_K; ++i)
#pragma unroll
                for (int r = 0; r < VALUES; ++r)
#pragma unroll
                    for (int q = 0; q < VALUES; ++q)
                        sum[r][q] += a_tile[y + r * SIDE][i] * b_tile[i][x + q * SIDE];
            __syncthreads(); // all have read it: only now may the next one overwrite it
        }
        const bool is_whole = s.is_whole(tile);
        const size_t place = is_whole ? 0 : place_of(s, block, tile);
        float *const part = (float *)p.workspace + place * TILE * TILE + threadIdx.x;
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
#pragma unroll
            for (int q = 0; q < VALUES; ++q)
                if (is_whole)
                    store(p, s, tile, r, q, sum[r][q]);
                else
                    part[(r * VALUES + q) * THREADS] = sum[r][q];
    }
}

// Adds the parts of a tile. A block has one value of each thread of gemm().
static __global__ __launch_bounds__(THREADS) void add_parts(const struct lab_gemm p, const shares s)
{
    const int tile = (int)blockIdx.x, r = (int)blockIdx.y / VALUES, q = (int)blockIdx.y % VALUES;
    if (s.is_whole(tile))
        return; // its block has stored it
    const float *const parts =
        (const float *)p.workspace + (r * VALUES + q) * THREADS + threadIdx.x;
    // BEGIN SOLUTION: the parts of all blocks that have panels of the tile, always in one order
    const int last = s.block_of((tile + 1) * s.panels - 1);
    float sum = 0.0f;
    for (int block = s.block_of(tile * s.panels); block <= last; ++block)
        sum += parts[(size_t)place_of(s, block, tile) * TILE * TILE];
    //| const float sum = parts[0];
    // END SOLUTION
    store(p, s, tile, r, q, sum);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)place_count(share_out(p)) * TILE * TILE * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const shares s = share_out(p);
    gemm<<<s.blocks, THREADS, 0, stream>>>(*p, s);
    add_parts<<<dim3(s.all / s.panels, VALUES * VALUES), THREADS, 0, stream>>>(*p, s);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"equal_shares", launch, workspace, LAB_REPEATABLE});
