// expect: race
// says: or the copy began too soon, into a buffer that is still in use
// Two buffers, two turns ahead: the copy goes into the buffer that others still read.
#include "families/gemm.h"

#include <cuda_pipeline.h>

constexpr int SIDE = 16;  // a block has SIDE x SIDE threads
constexpr int VALUES = 4; // rows and columns of C per thread
constexpr int TILE = 64;  // SIDE * VALUES: rows and columns of C per block
constexpr int TILE_K = 8; // length of a panel
constexpr int LOADS = 2;  // elements of either panel that a thread loads: TILE * TILE_K / 256
constexpr int BUFFERS = 2;

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Begins to copy element (row, col) of a row-major matrix to shared memory, or 0 outside of it.
static __device__ __forceinline__ void begin_copy(float *to, const float *__restrict__ x, int rows,
                                                  int cols, int row, int col)
{
    const bool inside = row < rows && col < cols;
    __pipeline_memcpy_async(to, inside ? &x[(size_t)row * cols + col] : x, sizeof(float),
                            inside ? 0 : sizeof(float));
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[BUFFERS][TILE_K][TILE + 4]; // (buffer, k, rows of C)
    __shared__ float b_tile[BUFFERS][TILE_K][TILE];     // (buffer, k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int tx = threadIdx.x; // along columns: a warp's loads and stores lie side by side
    const int ty = threadIdx.y;
    const int thread = ty * SIDE + tx;
    const int panels = (k - 1) / TILE_K + 1;

    // Begins the copies of one panel into one buffer, as one group. Beyond the last it brings
    // zeros.
    auto begin_panel = [&](int panel, int buffer) {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int a_k = thread % TILE_K, a_row = thread / TILE_K + i * 32;
            const int b_col = thread % TILE, b_k = thread / TILE + i * 4;
            begin_copy(&a_tile[buffer][a_k][a_row], a, m, k, first_row + a_row,
                       panel * TILE_K + a_k);
            begin_copy(&b_tile[buffer][b_k][b_col], b, k, n, panel * TILE_K + b_k,
                       first_col + b_col);
        }
        __pipeline_commit();
    };

    float sum[VALUES][VALUES] = {};
    begin_panel(0, 0);
    begin_panel(1, 1);
    for (int panel = 0; panel < panels; ++panel) {
        __pipeline_wait_prior(1);
        __syncthreads();
        begin_panel(panel + 2, (panel + 2) % BUFFERS);
        const int now = panel % BUFFERS;
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            float a_value[VALUES], b_value[VALUES];
#pragma unroll
            for (int v = 0; v < VALUES; ++v) {
                a_value[v] = a_tile[now][i][ty + v * SIDE];
                b_value[v] = b_tile[now][i][tx + v * SIDE]; // BUG
            }
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += a_value[r] * b_value[q];
        }
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty + r * SIDE;
            const int col = first_col + tx + q * SIDE;
            if (row < m && col < n)
                store(&c[(size_t)row * n + col], sum[r][q], alpha, beta);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                  p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"async_copy_into_the_buffer_in_use", launch});
