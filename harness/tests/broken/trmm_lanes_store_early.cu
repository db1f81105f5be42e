// expect: race
// on a GPU: ok
// run: step09 -n 33 -m 40
// says: of the same warp come in any order
// One warp for eight columns, four lanes a column: each lane keeps a quarter of the sums, and the
// first lane stores the row while the others may still read it.
#include "families/trmm.h"

static __global__ void trmm(int n, int m, const double *a, double *b)
{
    const int lane = threadIdx.x, quarter = lane / 8, j = blockIdx.x * 8 + lane % 8;
    __shared__ double parts[4][8];
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = i + quarter; k < n && j < m; k += 4)
            sum += a[(size_t)i * n + k] * b[(size_t)k * m + j];
        parts[quarter][lane % 8] = sum;
        __syncwarp();
        sum = parts[0][lane % 8] + parts[1][lane % 8] + parts[2][lane % 8] + parts[3][lane % 8];
        const double old = j < m ? b[(size_t)i * m + j] : 0.0; // all four, and then one stores
        if (quarter == 0 && j < m)
            b[(size_t)i * m + j] = old + sum; // BUG
        __syncwarp();
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / 8 + 1, 32, 0, stream>>>(p->n, p->m, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"lanes_store_early", launch});
