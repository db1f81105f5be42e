// Step 04: the tile of A is kept transposed, k first, as the coming steps need it: there a thread
// takes several rows of C and reads their elements of A side by side. Storing a tile transposed
// sends a whole warp to one bank of shared memory; one unused column in each row cures it. Until
// step 05 the new layout costs: elements of A next to each other in k no longer come in one read.
#include "families/gemm.h"

constexpr int TILE = 32; // rows and columns of C per block, and length of the inner piece
static_assert(TILE == 32, "as wide as shared memory has banks: the worst case for the conflict");

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Element (row, col) of a row-major matrix, 0 outside it: zeros add nothing to a sum, so a tile
// that hangs over an edge needs no other care. Offsets are size_t: rows * cols may pass 2^31.
static __device__ __forceinline__ float at(const float *__restrict__ x, int rows, int cols, int row,
                                           int col)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0.0f;
}

// PAD is the number of unused elements at the end of each row of a_tile. Only the transposed tile
// needs them: a warp writes and reads b_tile along its rows, 32 elements in 32 banks, and padding
// it, as is often seen, changes nothing.
template <int PAD>
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float a_tile[TILE][TILE + PAD]; // (k, rows of C)
    __shared__ float b_tile[TILE][TILE];       // (k, columns of C)
    const int tiles_across = (n - 1) / TILE + 1;
    const int tx = threadIdx.x; // along columns: a warp's loads and stores lie side by side
    const int ty = threadIdx.y;
    const int row = (int)blockIdx.x / tiles_across * TILE + ty;
    const int col = (int)blockIdx.x % tiles_across * TILE + tx;

    float sum = 0.0f;
    for (int first_k = 0; first_k < k; first_k += TILE) {
        // Down a column: bank (tx * (32 + PAD) + ty) % 32. With PAD 0 that is ty, one bank for all
        // 32 threads and 32 passes; with PAD 1 it is (tx + ty) % 32, every thread its own bank.
        a_tile[tx][ty] = at(a, m, k, row, first_k + tx);
        b_tile[ty][tx] = at(b, k, n, first_k + ty, col);
        __syncthreads(); // all threads have written the tiles
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[i][ty] * b_tile[i][tx];
        __syncthreads(); // all have read the tiles: only now may the next piece overwrite them
    }
    if (row < m && col < n)
        store(&c[(size_t)row * n + col], sum, alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
template <int PAD> static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<PAD><<<blocks, dim3(TILE, TILE), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                       p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"conflict", launch<0>}, {"padded", launch<1>});
