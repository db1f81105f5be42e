// Exercise 18: a right and tiled product, a block for each tile of C, which leaves multiprocessors
// idle where tiles do not fill a wave. Make it stream-K: every block has as many iterations as any
// other, one more or less, and tiles are divided along k. The partial sums of a divided tile go to
// scratch memory, and reduce() adds them.
#include "families/gemm.h"

constexpr int VALUES = 4;            // rows and columns of C per thread
constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int TILE = SIDE * VALUES;  // rows and columns of C per tile: 64
constexpr int TILE_K = 16;           // k of a panel
constexpr int BLOCKS_PER_SM = 4;
[[maybe_unused]] constexpr int LEAST = 8; // iterations of a block: fewer cost more than they save

// The work decomposition. An iteration is a panel of a tile. The iterations of all tiles stand in
// one row, those of tile 0 first, and each block has a run of them.
struct stream_k {
    int tiles_across, iterations, all, blocks; // iterations of a tile, and of all tiles

    // The first iteration of a block, and of block `blocks` the end of all; the block of an
    // iteration.
    // BEGIN SOLUTION: as many iterations each in place of whole tiles, for any number of blocks
    __host__ __device__ int first_iteration(int block) const
    {
        return block * (all / blocks) + min(block, all % blocks); // the first have one more
    }
    __device__ int block_of(int iteration) const
    {
        const int each = all / blocks, of_longer = all % blocks * (each + 1);
        return iteration < of_longer ? iteration / (each + 1)
                                     : all % blocks + (iteration - of_longer) / each;
    }
    //| __host__ __device__ int first_iteration(int block) const
    //| {
    //|     return block * iterations;
    //| }
    //| __device__ int block_of(int iteration) const
    //| {
    //|     return iteration / iterations;
    //| }
    // END SOLUTION
    // Whether one block has all of a tile.
    __device__ bool is_whole(int tile) const
    {
        return block_of(tile * iterations) == block_of((tile + 1) * iterations - 1);
    }
};

// As many blocks as the multiprocessors hold at the same time, unless each would have too little.
static stream_k decompose(const struct lab_gemm *p)
{
    const int across = (p->n - 1) / TILE + 1, iterations = (p->k - 1) / TILE_K + 1;
    const int tiles = ((p->m - 1) / TILE + 1) * across, all = tiles * iterations;
    // BEGIN SOLUTION: how many? LEAST iterations each, and lab_device_attribute() knows the GPU
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    return {across, iterations, all, max(1, min(held, all / LEAST))};
    //| return {across, iterations, all, tiles};
    // END SOLUTION
}

// Where a block's partial sums of a tile lie in scratch memory, and how many places there are.
static __device__ int place_of(const stream_k &s, int block, int tile)
{
    // BEGIN SOLUTION: a block may have two work units, and a tile those of several blocks
    return block + tile; // from one work unit to the next one of the two goes up, or both
    //| return 0;
    // END SOLUTION
}

static int place_count(const stream_k &s)
{
    // BEGIN SOLUTION: as many as there can be work units that divide tiles
    return s.blocks + s.all / s.iterations - 1;
    //| return 1;
    // END SOLUTION
}

// C = alpha * sum + beta * C of row r and column q of a thread's values. When beta is 0, C may hold
// anything, NaN too: it is not read.
static __device__ __forceinline__ void store(const struct lab_gemm &p, const stream_k &s, int tile,
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
                                                                      const stream_k s)
{
    __shared__ float a_tile[TILE][TILE_K], b_tile[TILE_K][TILE];
    const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    const int block = (int)blockIdx.x, end = s.first_iteration(block + 1);
    for (int at = s.first_iteration(block); at < end;) { // a work unit for each tile
        const int tile = at / s.iterations, end_of_tile = min(end, (tile + 1) * s.iterations);
        const int row = tile / s.tiles_across * TILE, col = tile % s.tiles_across * TILE;
        float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
        for (; at < end_of_tile; ++at) {
            load(p, row, col, at % s.iterations * TILE_K, a_tile, b_tile);
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
        float *const partial = (float *)p.workspace + place * TILE * TILE + threadIdx.x;
#pragma unroll
        for (int r = 0; r < VALUES; ++r)
#pragma unroll
            for (int q = 0; q < VALUES; ++q)
                if (is_whole)
                    store(p, s, tile, r, q, sum[r][q]);
                else
                    partial[(r * VALUES + q) * THREADS] = sum[r][q];
    }
}

// Reduces the partial sums of a tile. A block has one value of each thread of gemm().
static __global__ __launch_bounds__(THREADS) void reduce(const struct lab_gemm p, const stream_k s)
{
    const int tile = (int)blockIdx.x, r = (int)blockIdx.y / VALUES, q = (int)blockIdx.y % VALUES;
    if (s.is_whole(tile))
        return; // its block has stored it
    const float *const partial =
        (const float *)p.workspace + (r * VALUES + q) * THREADS + threadIdx.x;
    // BEGIN SOLUTION: those of all blocks that have iterations of the tile, always in one order
    const int last = s.block_of((tile + 1) * s.iterations - 1);
    float sum = 0.0f;
    for (int block = s.block_of(tile * s.iterations); block <= last; ++block)
        sum += partial[(size_t)place_of(s, block, tile) * TILE * TILE];
    //| const float sum = partial[0];
    // END SOLUTION
    store(p, s, tile, r, q, sum);
}

static size_t workspace(const struct lab_gemm *p)
{
    return (size_t)place_count(decompose(p)) * TILE * TILE * sizeof(float);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const stream_k s = decompose(p);
    gemm<<<s.blocks, THREADS, 0, stream>>>(*p, s);
    reduce<<<dim3(s.all / s.iterations, VALUES * VALUES), THREADS, 0, stream>>>(*p, s);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"stream_k", launch, workspace, LAB_REPEATABLE});
