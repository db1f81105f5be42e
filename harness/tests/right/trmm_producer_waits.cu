// run: step09
// One warp brings pieces of a row of A, two others use them. It says when a piece is there, and
// waits until the one before has been used.
#include "families/trmm.h"

enum { PIECE = 32, COLUMNS = 64, THREADS = COLUMNS + PIECE, FULL = 1, FREE = 2 };

static __device__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, 96;" ::"r"(barrier) : "memory");
}

static __device__ void wait(int barrier)
{
    asm volatile("bar.sync %0, 96;" ::"r"(barrier) : "memory");
}

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    __shared__ double piece[PIECE];
    const int column = blockIdx.x * COLUMNS + (int)threadIdx.x;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int start = row; start < n; start += PIECE) {
            const int k = start + (int)threadIdx.x - COLUMNS;
            if (threadIdx.x >= COLUMNS) {
                wait(FREE);
                piece[threadIdx.x - COLUMNS] = k < n ? a[(size_t)row * n + k] : 0.0;
                arrive(FULL);
                continue;
            }
            arrive(FREE);
            wait(FULL);
            for (int i = 0; i < PIECE && start + i < n && column < m; ++i)
                sum += piece[i] * b[(size_t)(start + i) * m + column];
        }
        if (threadIdx.x < COLUMNS && column < m)
            b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, THREADS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"producer_waits", launch});
