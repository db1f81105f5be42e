// expect: race
// run: step09 -n 33 -m 70
// Two buffers, but the barrier that was to come before the loads of the next tile is forgotten.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    __shared__ double row[2][8];
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = j < p.m ? p.b[i * p.m + j] : 0.0;
        for (int tile = i, buffer = 0; tile < p.n; tile += 8, buffer ^= 1) {
            if (j < 8 && tile + j < p.n)
                row[buffer][j] = p.a[i * p.n + tile + j];
            for (int k = tile; j < p.m && k < tile + 8 && k < p.n; k++)
                sum += row[buffer][k - tile] * p.b[k * p.m + j]; // BUG
            __syncthreads();
        }
        if (j < p.m)
            p.b[i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<1, 96, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"two_buffers_one_barrier", launch});
