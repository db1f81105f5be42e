// Exercise 00k: to[i] = from[i], from nothing: write the kernel and its launch. p->n, p->from and
// p->to are the problem's; p->from and p->to are on the device.
#include "families/copy.h"

// BEGIN SOLUTION: a kernel with a thread for each element
constexpr int THREADS = 256; // per block

static __global__ __launch_bounds__(THREADS) void copy(int n, const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
//| static __global__ void nothing()
//| {
//| }
// END SOLUTION

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    // BEGIN SOLUTION: launch it on `stream`, with blocks enough for p->n elements
    copy<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(p->n, p->from, p->to);
    //| (void)p;
    //| nothing<<<1, 1, 0, stream>>>();
    // END SOLUTION
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"from_nothing", launch});
