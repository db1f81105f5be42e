// expect: wrong
// run: step00c -n 5000
// says: is a sum, or what it adds, kept in an int?
// says not: Look at the last elements
// The parts of a sum are ints, so that each fraction is lost.
#include "families/reduction.h"
static __global__ void reduce(int n, const float *x, float *sum)
{
    __shared__ int part[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(sum, part[0]);
}
static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->sum, 0, 4, stream);
    reduce<<<(p->n - 1) / 128 + 1, 128, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}
LAB_EXPORT(reduction, {"broken", launch});
