// expect: wrong
// run: step01 -m 96 -n 33 -k 9
// says: 3145728 bytes of the device's heap are still allocated when the launch ends
// says: nothing is left after 2 launches
// no line: the launch as a whole is at fault
// A block takes 32 KB from the heap and gives nothing back. Two launches find enough.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ float *sums;
    if (threadIdx.x == 0)
        sums = (float *)malloc(32768);
    __syncthreads();
    const int row = blockIdx.x;
    for (int column = threadIdx.x; sums && column < p.n; column += blockDim.x) {
        sums[column] = 0.0f;
        for (int i = 0; i < p.k; i++)
            sums[column] += p.a[row * p.k + i] * p.b[i * p.n + column];
        float *const c = &p.c[row * p.n + column];
        *c = p.beta == 0.0f ? p.alpha * sums[column] : p.alpha * sums[column] + p.beta * *c;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"heap_never_freed", launch});
