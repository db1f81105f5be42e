// expect: misaligned
// run: step09 -n 33 -m 40
// A block for each tile of rows. It takes its sums at once, and stores them when all blocks have
// counted. The last one reads two elements at an odd place.
#include "families/trmm.h"

enum { ROWS = 4, COLUMNS = 32 };

static __global__ void trmm(const struct lab_trmm p, int *done)
{
    const int tile = (int)blockIdx.x;
    const int strips = (p.m - 1) / COLUMNS + 1, strip = tile % strips;
    const int i = tile / strips * ROWS + (int)threadIdx.y, j = strip * COLUMNS + (int)threadIdx.x;
    const bool is_inside = i < p.n && j < p.m;
    double sum = 0.0;
    if (is_inside) {
        sum = p.b[(size_t)i * p.m + j];
        for (int k = i; k < p.n; k++)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j];
    }
    if (blockIdx.x == gridDim.x - 1) {
        const double2 two = *reinterpret_cast<const double2 *>(p.a + 1); // BUG
        sum += two.x - two.y;
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        atomicAdd(done, 1);
        while (atomicAdd(done, 0) < (int)gridDim.x)
            __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
    if (is_inside)
        p.b[(size_t)i * p.m + j] = sum;
}

static size_t workspace(const struct lab_trmm *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const unsigned strips = (unsigned)((p->m - 1) / COLUMNS + 1);
    cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
    trmm<<<strips *((p->n - 1) / ROWS + 1), dim3(COLUMNS, ROWS), 0, stream>>>(*p,
                                                                              (int *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"fails", launch, workspace});
