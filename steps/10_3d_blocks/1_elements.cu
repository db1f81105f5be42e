// Step 10.1: C[k][l] = sum over i, j of (A[l][i][j] B[k][i][j] + A[k][i][j] B[l][i][j]) / 2, for
// l >= k alone, in double precision. A thread per element, everything read from global memory. Half
// of the square grid has nothing to do: the next stages look for work for it.
#include "families/syr2k.h"

constexpr int SIDE = 32; // a block has SIDE x SIDE threads, each an element of C

static __host__ __device__ constexpr int tiles(int n, int side) // of `side` elements, one dimension
{
    return (n - 1) / side + 1;
}

// First column (x) and row (y) of a block's tile. Blocks are numbered row by row: a grid's y side
// ends at 65535.
static __device__ int2 corner(int n, int side)
{
    return make_int2((int)blockIdx.x % tiles(n, side) * side,
                     (int)blockIdx.x / tiles(n, side) * side);
}

// Lanes side by side have columns side by side. They read the same word of row k, which is one
// sector for all of them, but rows l that are p q values apart: 32 sectors, a word of each.
static __global__ __launch_bounds__(SIDE *SIDE) void syr2k(int n, int p, int q, const double *a,
                                                           const double *b, double *c)
{
    const int2 first = corner(n, SIDE);
    const int k = first.y + threadIdx.y, l = first.x + threadIdx.x;
    if (k > l || l >= n) // half of the threads have nothing to do
        return;
    const double *a_k = a + (size_t)k * p * q, *a_l = a + (size_t)l * p * q;
    const double *b_k = b + (size_t)k * p * q, *b_l = b + (size_t)l * p * q;
    double sum = 0.0;
    for (int i = 0; i < p; ++i)
        for (int j = 0; j < q; ++j) {
            const size_t at = (size_t)i * q + j;
            sum += a_l[at] * b_k[at] + a_k[at] * b_l[at];
        }
    c[(size_t)k * n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int blocks = tiles(p->n, SIDE) * tiles(p->n, SIDE);
    syr2k<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(p->n, p->p, p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"global", launch});
