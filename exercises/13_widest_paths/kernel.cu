// Exercise 13: all-pairs widest paths. A path is as wide as its narrowest arc; d[i][j] is the
// greatest width of a path from i to j. That is step 11's product with other operations: sums
// become minima, minima become maxima. Squaring a matrix of widths doubles the number of arcs that
// its paths have.
#include "families/widest.h"

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements

// Element (row, col), or what changes no result where there is none.
static __device__ __forceinline__ float at(const float *__restrict__ x, int n, int row, int col)
{
    // TODO: which width never makes a path wider?
    return row < n && col < n ? x[(size_t)row * n + col] : 1e30f;
}

// to[i][j] = the greatest, over k, of the lesser of from[i][k] and from[k][j].
static __global__ void product(int n, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float left[TILE][TILE];  // (rows, k)
    __shared__ float right[TILE][TILE]; // (k, columns)
    const int tiles_across = (n - 1) / TILE + 1;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = (int)blockIdx.x / tiles_across * TILE + ty;
    const int col = (int)blockIdx.x % tiles_across * TILE + tx;
    float widest = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        left[ty][tx] = at(from, n, row, first + tx);
        right[ty][tx] = at(from, n, first + ty, col);
        __syncthreads(); // the tiles were written by all: complete before anyone reads them
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            // TODO: the width through vertex first + i, if it is greater than what was found
            widest = fminf(widest, left[ty][i] + right[i][tx]);
        }
        __syncthreads(); // and all are done with them before they are overwritten
    }
    if (row < n && col < n)
        to[(size_t)row * n + col] = widest;
}

static size_t workspace(const struct lab_widest *p)
{
    return (size_t)p->n * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_widest *p, cudaStream_t stream)
{
    const int tiles = (p->n - 1) / TILE + 1;
    int products = 1;
    // TODO: how many squarings until paths may have n - 1 arcs? One gives paths of 2
    const float *from = (const float *)p->w;
    for (int i = 1; i <= products; ++i) { // the last one goes to d, the others to and fro
        float *to = (float *)((products - i) % 2 == 0 ? p->d : p->workspace);
        product<<<tiles * tiles, dim3(TILE, TILE), 0, stream>>>(p->n, from, to);
        from = to;
    }
    return cudaGetLastError();
}

LAB_EXPORT(widest, {"squaring", launch, workspace});
