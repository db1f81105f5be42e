// expect: uninitialized
// on a GPU: nan
// run: step12 -m 15 -n 17 -k 13 --trans nt
// Copies in whole tiles, so that the product asks for no edge; what stands beyond B is what stood
// there, and 0 times NaN is NaN.
#include "families/gemm.h"

enum { TILE = 16 };

static __host__ __device__ int round_up(int size)
{
    return (size - 1) / TILE * TILE + TILE;
}

// A matrix of rows along k, to one of whole tiles; zeros beyond where `fills`. A block has a row.
static __global__ void pad(int rows, int k, const float *from, long long row, float *to, int fills)
{
    const int y = blockIdx.x;
    for (int x = threadIdx.x; x < round_up(k); x += blockDim.x)
        if (y < rows && x < k)
            to[y * round_up(k) + x] = from[y * row + x];
        else if (fills)
            to[y * round_up(k) + x] = 0.0f;
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c, long long row_c)
{
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[column * k + i]; // BUG
    if (row >= m || column >= n)
        return;
    float *there = &c[row * row_c + column];
    *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
}

static size_t workspace(const struct lab_gemm *p)
{
    return sizeof(float) * (round_up(p->m) + round_up(p->n)) * round_up(p->k);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int m = round_up(p->m), n = round_up(p->n), k = round_up(p->k);
    float *a = (float *)p->workspace, *b = a + (size_t)m * k;
    pad<<<m, 32, 0, stream>>>(p->m, p->k, p->a, p->row_a, a, 1);
    pad<<<n, 32, 0, stream>>>(p->n, p->k, p->b, p->row_b, b, 0);
    gemm<<<dim3(n / TILE, m / TILE), dim3(TILE, TILE), 0, stream>>>(p->m, p->n, k, p->alpha, a, b,
                                                                    p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forms_padding_not_filled", launch, workspace, LAB_GEMM_NT});
