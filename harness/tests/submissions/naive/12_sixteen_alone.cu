// expect: ok
// Halves of the sum where there is one tile; else both, by half of the threads.
#include "families/syr2k.h"

constexpr int TILE = 16; // a block has TILE x TILE threads

// Adds the products of TILE columns of `left` (row ty) and `right` (row tx).
static __device__ __forceinline__ double dot(const double (&left)[TILE][TILE + 1],
                                             const double (&right)[TILE][TILE + 1], int ty, int tx)
{
    double sum = 0.0;
#pragma unroll
    for (int i = 0; i < TILE; ++i)
        sum += left[ty][i] * right[tx][i];
    return sum;
}

// Element (row, i) of a matrix of n rows of `length`, 0 outside it.
static __device__ __forceinline__ double at(const double *__restrict__ x, int n, int length,
                                            int row, int i)
{
    return row < n && i < length ? x[(size_t)row * length + i] : 0.0;
}

static __global__ __launch_bounds__(TILE *TILE) void syr2k(int n, int length,
                                                           const double *__restrict__ a,
                                                           const double *__restrict__ b,
                                                           double *__restrict__ c)
{
    __shared__ double a_k[TILE][TILE + 1], b_k[TILE][TILE + 1]; // rows of the tile
    __shared__ double a_l[TILE][TILE + 1], b_l[TILE][TILE + 1]; // its columns
    const int tiles = (n - 1) / TILE + 1;
    const int first_k = (int)blockIdx.x / tiles * TILE, first_l = (int)blockIdx.x % tiles * TILE;
    const int tx = threadIdx.x, ty = threadIdx.y, k = first_k + ty, l = first_l + tx;
    if (first_k > first_l)
        return; // the whole tile lies below the diagonal
    double sum = 0.0;
    if (first_k < first_l) {
        for (int first = 0; first < length; first += TILE) {
            a_k[ty][tx] = at(a, n, length, first_k + ty, first + tx);
            b_k[ty][tx] = at(b, n, length, first_k + ty, first + tx);
            a_l[ty][tx] = at(a, n, length, first_l + ty, first + tx);
            b_l[ty][tx] = at(b, n, length, first_l + ty, first + tx);
            __syncthreads(); // all threads have written the tiles
            sum += dot(b_k, a_l, ty, tx) + dot(a_k, b_l, ty, tx);
            __syncthreads(); // and all are done with them before they are overwritten
        }
    } else if (n != TILE) {
        for (int first = 0; first < length; first += TILE) {
            a_k[ty][tx] = at(a, n, length, first_k + ty, first + tx);
            b_k[ty][tx] = at(b, n, length, first_k + ty, first + tx);
            __syncthreads();
            if (l >= k)
                sum += dot(b_k, a_k, ty, tx) + dot(a_k, b_k, ty, tx);
            __syncthreads();
        }
    } else {
        for (int first = 0; first < length; first += TILE) {
            a_k[ty][tx] = at(a, n, length, first_k + ty, first + tx);
            b_k[ty][tx] = at(b, n, length, first_k + ty, first + tx);
            __syncthreads(); // all threads have written the tiles
            // BEGIN SOLUTION: add one half of the sum in every thread, also below the diagonal
            sum += dot(b_k, a_k, ty, tx);
            // END SOLUTION
            __syncthreads(); // and all are done with them before they are overwritten
        }
        // BEGIN SOLUTION: give the half that was computed at (tx, ty) to the thread at (ty, tx)
        a_k[ty][tx] = sum;
        __syncthreads(); // every half is there
        sum += a_k[tx][ty];
        // END SOLUTION
    }
    if (k < n && l < n && l >= k)
        c[(size_t)k * n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const int tiles = (p->n - 1) / TILE + 1;
    syr2k<<<tiles * tiles, dim3(TILE, TILE), 0, stream>>>(p->n, p->p * p->q, p->a, p->b, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"diagonal_blocks", launch});
