// Step 09.5: a block takes one tile of B in place of a whole panel of columns. There are now enough
// blocks for every multiprocessor of a large GPU, and they are short. But blocks read rows of B
// that others will change: a block takes its number as it starts, and waits for counted readers.
#include "families/trmm.h"

constexpr int SIDE = 32; // a tile is SIDE x SIDE elements, a thread each

// The sum of a thread's element: the tile on the diagonal, from row `first` on, then the rectangle
// beside it. Below the diagonal A is not read. A warp is one row of the tile: its threads read the
// same element of a_tile, and 32 neighbours of b_tile, which are 2 wavefronts.
static __device__ __forceinline__ double sum_of(int n, int m, const double *a, const double *b,
                                                int first, int column, int ty, int tx)
{
    __shared__ double a_tile[SIDE][SIDE]; // (rows of B, k)
    __shared__ double b_tile[SIDE][SIDE]; // (k, columns of B)
    const int row = first + ty;
    const bool is_row = row < n, is_column = column < m;
    double sum = 0.0;
    a_tile[ty][tx] = is_row && first + tx < n && tx >= ty ? a[(size_t)row * n + first + tx] : 0.0;
    b_tile[ty][tx] = is_row && is_column ? b[(size_t)row * m + column] : 0.0;
    __syncthreads();
    for (int i = ty; i < SIDE; ++i) // the triangle
        sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
    for (int k = first + SIDE; k < n; k += SIDE) { // the rectangle beside it
        a_tile[ty][tx] = is_row && k + tx < n ? a[(size_t)row * n + k + tx] : 0.0;
        b_tile[ty][tx] = k + ty < n && is_column ? b[(size_t)(k + ty) * m + column] : 0.0;
        __syncthreads(); // all threads have written both tiles
#pragma unroll
        for (int i = 0; i < SIDE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads(); // and all are done with them before they are overwritten
    }
    return sum;
}

// All rows of tile `tile` may be changed once the blocks of every tile above it in this panel of
// columns have read them. readers[] counts these: a block adds itself for each tile below its own
// when it has read them all, and waits for its own tile's count. It waits only for blocks of lower
// number, which run already: numbers are taken as blocks start. So the wait ends, and since tiles
// are numbered from the top, where rows are longest, it is short.
static __device__ __forceinline__ void wait_for_readers(unsigned *readers, int tile, int tiles,
                                                        int panel, int panels)
{
    __syncthreads(); // every thread of this block has read all that it needs
    __threadfence(); // what was read comes before the count, for other blocks too
    for (int t = tile + 1 + (int)threadIdx.x; t < tiles; t += (int)blockDim.x)
        atomicAdd(&readers[(size_t)t * panels + panel], 1u);
    if (threadIdx.x == 0) {
        while (atomicAdd(&readers[(size_t)tile * panels + panel], 0u) < (unsigned)tile)
            __nanosleep(100);
        __threadfence(); // and what is written comes after the wait
    }
    __syncthreads(); // the others wait for thread 0
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile; all begin at 0. CUDA
// promises no order of blocks: with blockIdx.x for the number, a block might wait for one that
// cannot start while it waits.
static __global__ __launch_bounds__(SIDE *SIDE) void trmm(int n, int m, const double *a, double *b,
                                                          unsigned *counters)
{
    __shared__ unsigned number;
    const int panels = (m - 1) / SIDE + 1, tiles_down = (n - 1) / SIDE + 1;
    if (threadIdx.x == 0)
        number = atomicAdd(&counters[0], 1u);
    __syncthreads(); // the number is known to all
    const int tile = number / panels, panel = number % panels;
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    const int first = tile * SIDE, column = panel * SIDE + tx;
    const double sum = sum_of(n, m, a, b, first, column, ty, tx);
    wait_for_readers(counters + 1, tile, tiles_down, panel, panels);
    if (first + ty < n && column < m)
        b[(size_t)(first + ty) * m + column] += sum;
}

static size_t tiles_of(const struct lab_trmm *p)
{
    return (size_t)((p->n - 1) / SIDE + 1) * ((p->m - 1) / SIDE + 1);
}

// Bytes of scratch memory that the harness is asked for.
static size_t counters(const struct lab_trmm *p)
{
    return (1 + tiles_of(p)) * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    cudaError_t status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    trmm<<<(unsigned)tiles_of(p), SIDE * SIDE, 0, stream>>>(p->n, p->m, p->a, p->b,
                                                            (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"tile_per_block", launch, counters});
