// Exercise 00l: the sum of all elements. A block adds its elements in a tree in shared memory, and
// one barrier is missing. Which thread may read a part before another has written it?
#include "families/reduction.h"

constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *__restrict__ sum)
{
    __shared__ float part[THREADS];
    const int t = (int)threadIdx.x;
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    part[t] = i < n ? x[i] : 0.0f; // the last block may hang over the end
    __syncthreads();               // all parts were written: only now may others read them
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        // BEGIN SOLUTION: what must be complete before the next level reads it?
        __syncthreads();
        // END SOLUTION
    }
    if (t == 0)
        atomicAdd(sum, part[0]); // one for each block
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    // all blocks add to it: it must be 0 before
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    if (cleared != cudaSuccess)
        return cleared;
    const int blocks = (p->n - 1) / THREADS + 1; // a thread for each element
    reduce<<<blocks, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"levels", launch});
