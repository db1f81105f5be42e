// run: step09
// A row of A in shared memory, volatile besides the barriers.
#include "families/trmm.h"

enum { THREADS = 64 };

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    __shared__ volatile double piece[THREADS];
    const int thread = threadIdx.x, column = blockIdx.x * THREADS + thread;
    for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int start = row; start < n; start += THREADS) {
            __syncthreads();
            piece[thread] = start + thread < n ? a[(size_t)row * n + start + thread] : 0.0;
            __syncthreads();
            for (int i = 0; i < THREADS && start + i < n && column < m; ++i)
                sum += piece[i] * b[(size_t)(start + i) * m + column];
        }
        if (column < m)
            b[(size_t)row * m + column] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / THREADS + 1, THREADS, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"volatile_and_barriers", launch});
