// The study of step 05: blocks of many shapes with many values per thread, one kernel for all of
// them. It is listing 2 of "SGEMM Characterization on NVIDIA GPUs using Profiling Metrics" with
// guards, so that it is right at every size. `run sweep step05` has it compiled, no step does.
#include "families/gemm.h"

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Element (row, col) of a row-major matrix, 0 outside it. What is outside is loaded, too, from the
// nearest element inside, and dropped: so every block executes as many loads as every other, and
// how many follows from the shape.
static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    const float nearest = x[(size_t)min(row, rows - 1) * cols + min(col, cols - 1)];
    return row < rows && col < cols ? nearest : 0.0f;
}

// All threads load a tile of a matrix, neighbours next to each other, in as many iterations as it
// takes. The listing has two loops over the block's sides in place of this, which load nothing
// where a side is longer than the tile's.
template <int ROWS, int COLS, int THREADS>
static __device__ __forceinline__ void load(float (&tile)[ROWS][COLS], const float *__restrict__ x,
                                            int rows, int cols, int first_row, int first_col)
{
    // A count of turns that is known, unrolled by a divisor of it, leaves no rest: the compiler
    // would make predicated loads of that, which count as executed whether they load or not.
    constexpr int TURNS = (ROWS * COLS - 1) / THREADS + 1;
    constexpr int AT_ONCE = TURNS % 3 == 0 ? 3 : TURNS % 2 == 0 ? 2 : TURNS % 5 == 0 ? 5 : 1;
#pragma unroll AT_ONCE
    for (int turn = 0; turn < TURNS; ++turn) {
        const int e = turn * THREADS + threadIdx.y * blockDim.x + threadIdx.x;
        if (ROWS * COLS % THREADS == 0 || e < ROWS * COLS)
            tile[e / COLS][e % COLS] =
                at(x, rows, cols, first_row + e / COLS, first_col + e % COLS);
    }
}

// A block of BX x BY threads, SIDE x SIDE values for each, panels of INNER. Without bounds the
// compiler takes as many registers as it likes, whatever the block, and large blocks do not fit an
// SM. From 100 values on it is told that one block there is enough: else it gives up and keeps
// nearly all of them in local memory.
template <int BX, int BY, int SIDE, int INNER>
static __global__ void __launch_bounds__(BX *BY, SIDE > 8 ? 1 : 0)
    gemm(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b,
         float beta, float *__restrict__ c)
{
    constexpr int TILE_M = BY * SIDE, TILE_N = BX * SIDE;
    __shared__ __align__(16) float a_tile[TILE_M][INNER]; // (rows of C, k), as A lies in memory
    __shared__ float b_tile[INNER][TILE_N];               // (k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    float sum[SIDE][SIDE] = {}; // in registers: every index below is known when compiling
    for (int first_k = 0; first_k < k; first_k += INNER) {
        load<TILE_M, INNER, BX * BY>(a_tile, a, m, k, first_row, first_k);
        load<INNER, TILE_N, BX * BY>(b_tile, b, k, n, first_k, first_col);
        __syncthreads(); // all threads have written the tiles
        // Four k at a time: of a row of a_tile these are neighbours, read by one instruction.
#pragma unroll 4
        for (int i = 0; i < INNER; ++i) {
            float a_value[SIDE], b_value[SIDE];
#pragma unroll
            for (int v = 0; v < SIDE; ++v) {
                a_value[v] = a_tile[ty + v * BY][i];
                b_value[v] = b_tile[i][tx + v * BX];
            }
#pragma unroll
            for (int r = 0; r < SIDE; ++r)
#pragma unroll
                for (int q = 0; q < SIDE; ++q)
                    sum[r][q] += a_value[r] * b_value[q];
        }
        __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
    }
#pragma unroll
    for (int r = 0; r < SIDE; ++r)
#pragma unroll
        for (int q = 0; q < SIDE; ++q) {
            const int row = first_row + ty + r * BY;
            const int col = first_col + tx + q * BX;
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}

template <int BX, int BY, int SIDE, int INNER = 16>
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / (BY * SIDE) + 1) * ((p->n - 1) / (BX * SIDE) + 1);
    gemm<BX, BY, SIDE, INNER><<<blocks, dim3(BX, BY), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a,
                                                                   p->b, p->beta, p->c);
    return cudaGetLastError();
}

// b16x8_v4: a block 16 wide and 8 high, 4 values per thread; _k8: panels of 8 in place of 16.
LAB_EXPORT(gemm, {"b8x8_v1", launch<8, 8, 1>}, {"b8x8_v4", launch<8, 8, 2>},
           {"b8x8_v16", launch<8, 8, 4>}, {"b8x8_v36", launch<8, 8, 6>},
           {"b8x8_v64", launch<8, 8, 8>}, {"b8x8_v100", launch<8, 8, 10>},
           {"b8x8_v144", launch<8, 8, 12>}, {"b16x8_v1", launch<16, 8, 1>},
           {"b16x8_v4", launch<16, 8, 2>}, {"b16x8_v16", launch<16, 8, 4>},
           {"b16x8_v64", launch<16, 8, 8>}, {"b16x16_v1", launch<16, 16, 1>},
           {"b16x16_v4", launch<16, 16, 2>}, {"b16x16_v16", launch<16, 16, 4>},
           {"b16x16_v36", launch<16, 16, 6>}, {"b16x16_v64", launch<16, 16, 8>},
           {"b16x16_v100", launch<16, 16, 10>}, {"b16x16_v144", launch<16, 16, 12>},
           {"b32x16_v1", launch<32, 16, 1>}, {"b32x16_v4", launch<32, 16, 2>},
           {"b32x16_v16", launch<32, 16, 4>}, {"b32x16_v36", launch<32, 16, 6>},
           {"b32x16_v64", launch<32, 16, 8>}, {"b32x16_v100", launch<32, 16, 10>},
           {"b32x16_v144", launch<32, 16, 12>}, {"b32x32_v1", launch<32, 32, 1>},
           {"b32x32_v4", launch<32, 32, 2>}, {"b32x32_v16", launch<32, 32, 4>},
           {"b32x32_v64", launch<32, 32, 8>}, {"b16x16_v64_k8", launch<16, 16, 8, 8>},
           {"b16x16_v64_k32", launch<16, 16, 8, 32>});
