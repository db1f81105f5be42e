// Exercise 15: a right and tiled product C = alpha A B + beta C has to become C = alpha A B' + beta
// C. B is stored (n, k) now: what a panel needs of a column lies along k, as A does. The tile stays
// as it is, so that panel has to be turned on its way there.
#include "families/gemm.h"

constexpr int VALUES = 4;            // rows and columns of C per thread
constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int TILE = SIDE * VALUES;  // rows and columns of C per block: 64
constexpr int TILE_K = 16;           // a thread loads one vector of each panel
// BEGIN SOLUTION: how long is a row of B's tile? A multiple of 4, for its reads
constexpr int B_ROW = TILE + 4; // 4: k and k + 4 begin 16 banks apart
//| constexpr int B_ROW = TILE;
// END SOLUTION

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// The 4 neighbours at `from`, of which `count` exist, zeros for the others: they add nothing to a
// sum.
static __device__ __forceinline__ float4 load4(const float *__restrict__ from, int count)
{
    if (count >= 4 && (size_t)from % sizeof(float4) == 0)
        return *(const float4 *)from;
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}

// Adds four k: of A four neighbours of a row, of B one of four rows.
static __device__ __forceinline__ void
multiply(float (&sum)[VALUES][VALUES], const float4 (&a_value)[VALUES], const float4 (&b_value)[4])
{
#pragma unroll
    for (int r = 0; r < VALUES; ++r) {
        const float a_of[4] = {a_value[r].x, a_value[r].y, a_value[r].z, a_value[r].w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sum[r][0] += a_of[i] * b_value[i].x;
            sum[r][1] += a_of[i] * b_value[i].y;
            sum[r][2] += a_of[i] * b_value[i].z;
            sum[r][3] += a_of[i] * b_value[i].w;
        }
    }
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            long long row_a, const float *__restrict__ b, long long row_b,
                            float beta, float *__restrict__ c, long long row_c)
{
    __shared__ __align__(16) float a_tile[TILE][TILE_K];  // (rows of C, k): A lies so, too
    __shared__ __align__(16) float b_tile[TILE_K][B_ROW]; // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE;
    const int first_col = (int)blockIdx.x % tiles_across * TILE;
    const int thread = threadIdx.x;
    const int tx = thread % SIDE * 4; // the thread's 4 columns in the tile
    const int ty = thread / SIDE;     // and the first of its 4 rows, SIDE apart
    // What it loads of A, in the tile: a warp takes 16 k of 8 rows.
    const int a_k = thread % 4 * 4, a_row = thread / 4;
    // BEGIN SOLUTION: 4 neighbours of B are to lie along k; which does a warp take?
    const int b_k = thread / 32 % 2 * 8 + thread % 2 * 4; // 8 k of 16 columns: whole sectors
    const int b_col = thread / 64 * 16 + thread % 32 / 2;
    //| const int b_k = thread / SIDE, b_col = thread % SIDE * 4; // 64 neighbours of 2 k
    // END SOLUTION

    float sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    for (int first_k = 0; first_k < k; first_k += TILE_K) {
        const int row = first_row + a_row;
        *(float4 *)&a_tile[a_row][a_k] =
            load4(&a[row * row_a + first_k + a_k], row < m ? k - first_k - a_k : 0);
        // BEGIN SOLUTION: B is stored (n, k), but taken as if it were (k, n): this is A B
        const int col = first_col + b_col;
        const float4 next = load4(&b[col * row_b + first_k + b_k], col < n ? k - first_k - b_k : 0);
        // A warp, 2 x 16 lanes, writes to bank (k * (64 + 4) + col) % 32, which for k and k + 4 is
        // all 32.
        b_tile[b_k + 0][b_col] = next.x;
        b_tile[b_k + 1][b_col] = next.y;
        b_tile[b_k + 2][b_col] = next.z;
        b_tile[b_k + 3][b_col] = next.w;
        //| const int stored_row = first_k + b_k, stored_col = first_col + b_col;
        //| *(float4 *)&b_tile[b_k][b_col] =
        //|     load4(&b[stored_row * row_b + stored_col], stored_row < n ? k - stored_col : 0);
        // END SOLUTION
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE_K; i += 4) {
            float4 a_value[VALUES], b_value[4];
            for (int r = 0; r < VALUES; ++r)
                a_value[r] = *(const float4 *)&a_tile[ty + r * SIDE][i];
            for (int j = 0; j < 4; ++j)
                b_value[j] = *(const float4 *)&b_tile[i + j][tx];
            multiply(sum, a_value, b_value);
        }
        __syncthreads(); // all have read the tiles: only now may the next panels overwrite them
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q) {
            const int row = first_row + ty + r * SIDE, col = first_col + tx + q;
            if (row < m && col < n)
                store(&c[row * row_c + col], sum[r][q], alpha, beta);
        }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b,
                                         p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_nt, {"along_k", launch});
