// Exercise 14: three kernels of the study of step 05 (docs/pages/shapes.md), known by their
// counters alone. One is launched where C is wider than high, one where it is square, one where it
// is higher than wide. What they counted:
//
//                                          global_load    shared_load
//     WIDE      -m 128 -n 512 -k 256             32768         163840
//     SQUARE    -m 256 -n 256 -k 256             16384         163840
//     HIGH      -m 512 -n 128 -k 256             24576         327680
//               -m 480 -n 96 -k 256              23040         307200
//
// One has blocks of 64 threads, one of 256 and one of 512; in which order is not told. Each thread
// computes 1, 4, 16 or 64 values. Say which is which: the kernel itself is finished.
#include "families/gemm.h"

struct shape {
    int width, height; // of a block, in threads: 8, 16 or 32
    int side;          // a thread computes side x side values
};

// TODO: the shapes that have these counters
constexpr shape WIDE = {16, 16, 1};
constexpr shape SQUARE = {16, 16, 1};
constexpr shape HIGH = {16, 16, 1};

static constexpr bool is_one_of_the_study(shape s)
{
    return (s.width == 8 || s.width == 16 || s.width == 32) &&
           (s.height == 8 || s.height == 16 || s.height == 32) &&
           (s.side == 1 || s.side == 2 || s.side == 4 || s.side == 8);
}
static_assert(is_one_of_the_study(WIDE) && is_one_of_the_study(SQUARE) && is_one_of_the_study(HIGH),
              "width and height are 8, 16 or 32, and side is 1, 2, 4 or 8");

constexpr int INNER = 16; // length of a panel

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Element (row, col) of a row-major matrix, 0 outside it. What is outside is loaded, too, from the
// nearest element inside, and dropped: every block loads as much as every other.
static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    const float nearest = x[(size_t)min(row, rows - 1) * cols + min(col, cols - 1)];
    return row < rows && col < cols ? nearest : 0.0f;
}

// All threads load a tile of a matrix, neighbours next to each other, until it is full.
template <int ROWS, int COLS, int THREADS>
static __device__ __forceinline__ void load(float (&tile)[ROWS][COLS], const float *__restrict__ x,
                                            int rows, int cols, int first_row, int first_col)
{
    for (int e = threadIdx.y * blockDim.x + threadIdx.x; e < ROWS * COLS; e += THREADS)
        tile[e / COLS][e % COLS] = at(x, rows, cols, first_row + e / COLS, first_col + e % COLS);
}

// A block of BX x BY threads, SIDE x SIDE values for each, panels of INNER: the kernel of the
// study.
template <int BX, int BY, int SIDE>
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

// The shape is known when compiling, and so has a kernel of its own.
template <const shape &SHAPE>
static void launch_shape(const struct lab_gemm *p, cudaStream_t stream)
{
    constexpr int TILE_M = SHAPE.height * SHAPE.side, TILE_N = SHAPE.width * SHAPE.side;
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    gemm<SHAPE.width, SHAPE.height, SHAPE.side>
        <<<blocks, dim3(SHAPE.width, SHAPE.height), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a,
                                                                 p->b, p->beta, p->c);
}

// By the shape of C, as a library chooses among its kernels.
static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    if (p->m < p->n)
        launch_shape<WIDE>(p, stream);
    else if (p->m == p->n)
        launch_shape<SQUARE>(p, stream);
    else
        launch_shape<HIGH>(p, stream);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"three_shapes", launch});
