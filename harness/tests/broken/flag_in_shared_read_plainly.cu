// expect: race
// run: step00c -n 1000
// says: by a plain read, which the compiler takes out of the loop
// no line: the loop reads once, before it
// A thread waits in a loop for a flag in shared memory that is a plain variable.
#include "families/reduction.h"

static __global__ void reduce(int n, const float *x, float *sum)
{
    __shared__ int ready;
    __shared__ float value;
    const int t = threadIdx.x;
    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t == 32) {
        float s = 0;
        for (int i = 0; i < n; i++)
            s += x[i];
        value = s;
        ready = 1;
    }
    if (t == 0) {
        while (!ready)
            ;
        *sum = value;
    }
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    reduce<<<1, 64, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}
LAB_EXPORT(reduction, {"flag_in_shared_read_plainly", launch});
