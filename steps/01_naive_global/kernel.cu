// Step 01: one thread per element of C, everything read from global memory. Two mappings of threads
// to elements that do the same work: what differs is which elements the 32 threads of a warp share
// an instruction for, and that alone decides how many bytes each load moves.
#include "families/gemm.h"

constexpr int BLOCK = 256; // threads in a block
static_assert(BLOCK % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// Row `row` of A times column `col` of B. Offsets are size_t: m * k may pass 2^31.
static __device__ __forceinline__ float dot(int n, int k, const float *__restrict__ a,
                                            const float *__restrict__ b, int row, int col)
{
    float sum = 0.0f;
    // Two loads from global memory for each multiply-add: what the coming steps save.
    for (int i = 0; i < k; ++i)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    return sum;
}

// Neighbouring threads take neighbouring rows of one column. The 32 loads of A are k elements
// apart: 32 sectors of 32 bytes are fetched to use 4 bytes of each. The stores to C scatter alike.
static __global__ void gemm_uncoalesced(int m, int n, int k, float alpha,
                                        const float *__restrict__ a, const float *__restrict__ b,
                                        float beta, float *__restrict__ c)
{
    const int blocks_down = (m - 1) / BLOCK + 1; // blocks in a column of C
    const int row = (int)blockIdx.x % blocks_down * BLOCK + (int)threadIdx.x;
    const int col = (int)blockIdx.x / blocks_down;
    if (row < m)
        store(&c[(size_t)row * n + col], dot(n, k, a, b, row, col), alpha, beta);
}

// Neighbouring threads take neighbouring columns of one row. The 32 loads of B lie side by side (4
// sectors), the 32 loads of A are one address (1 sector, broadcast), the stores lie side by side.
static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    const int blocks_across = (n - 1) / BLOCK + 1; // blocks in a row of C
    const int row = (int)blockIdx.x / blocks_across;
    const int col = (int)blockIdx.x % blocks_across * BLOCK + (int)threadIdx.x;
    if (col < n)
        store(&c[(size_t)row * n + col], dot(n, k, a, b, row, col), alpha, beta);
}

// The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall matrix.
static cudaError_t launch_uncoalesced(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / BLOCK + 1) * p->n;
    gemm_uncoalesced<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta,
                                                   p->c);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = p->m * ((p->n - 1) / BLOCK + 1);
    gemm<<<blocks, BLOCK, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b, p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"uncoalesced", launch_uncoalesced}, {"coalesced", launch});
