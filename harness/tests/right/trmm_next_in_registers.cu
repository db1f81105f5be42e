// run: step09
// The next step's operands wait in registers that have no value in the last round.
#include "families/trmm.h"

enum { TILE = 32 };

static __global__ void trmm(const struct lab_trmm p)
{
    __shared__ double row[TILE];
    const int j = blockIdx.x * TILE + threadIdx.x;
    const bool is_inside = j < p.m;
    for (int i = 0; i < p.n; i++) {
        double sum = is_inside ? p.b[(size_t)i * p.m + j] : 0.0, next, next_b[4];
        if (i + (int)threadIdx.x < p.n)
            next = p.a[(size_t)i * p.n + i + threadIdx.x];
        for (int first = i; first < p.n; first += TILE) {
            row[threadIdx.x] = next;
            __syncthreads();
            if (first + TILE + (int)threadIdx.x < p.n)
                next = p.a[(size_t)i * p.n + first + TILE + threadIdx.x];
            const int count = min(TILE, p.n - first);
            for (int k = 0; is_inside && k < count; k += 4) {
#pragma unroll
                for (int q = 0; q < 4; q++)
                    if (k + q < count)
                        next_b[q] = p.b[(size_t)(first + k + q) * p.m + j];
#pragma unroll
                for (int q = 0; q < 4; q++)
                    if (k + q < count)
                        sum += row[k + q] * next_b[q];
            }
            __syncthreads();
        }
        if (is_inside)
            p.b[(size_t)i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / TILE + 1, TILE, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"next", launch});
