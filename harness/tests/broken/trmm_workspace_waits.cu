// expect: timeout
// run: step09 -n 33 -m 5
// says: the workspace function or a constructor has slept for 20 seconds
// no line: it is the host that sleeps
// The workspace function sleeps until the columns are even, which they never are.
#include "families/trmm.h"

#include <unistd.h>

enum { ROWS = 4, COLUMNS = 32 };

static __global__ void trmm(const struct lab_trmm p, int *done)
{
    __shared__ int tile;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        tile = atomicAdd(&done[0], 1); // in the order of their start
    __syncthreads();
    const int strips = (p.m - 1) / COLUMNS + 1, strip = tile % strips;
    const int i = tile / strips * ROWS + (int)threadIdx.y, j = strip * COLUMNS + (int)threadIdx.x;
    const bool is_inside = i < p.n && j < p.m;
    double sum = 0.0;
    if (is_inside) {
        sum = p.b[(size_t)i * p.m + j];
        for (int k = i; k < p.n; k++)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j];
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        int *const count = &done[1 + strip];
        while (atomicAdd(count, 0) < tile / strips)
            __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
    if (is_inside)
        p.b[(size_t)i * p.m + j] = sum;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(&done[1 + strip], 1);
}

static size_t workspace(const struct lab_trmm *p)
{
    while (p->m % 2 != 0)
        sleep(1);
    return (1 + (size_t)(p->m - 1) / COLUMNS + 1) * sizeof(int);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const unsigned strips = (unsigned)((p->m - 1) / COLUMNS + 1);
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    trmm<<<strips *((p->n - 1) / ROWS + 1), dim3(COLUMNS, ROWS), 0, stream>>>(*p,
                                                                              (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"sleeps", launch, workspace});
