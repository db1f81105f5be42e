// expect: ok
// Vectors where n is a multiple of 4, and else single elements.
#include "families/copy.h"

constexpr int THREADS = 256;     // per block
constexpr int BLOCKS_PER_SM = 8; // 2048 threads: as many as an SM holds

static __global__ __launch_bounds__(THREADS) void copy(int n, const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long thread = (long long)blockIdx.x * THREADS + threadIdx.x;
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    // BEGIN SOLUTION: all whole groups of 4 elements, 16 bytes with each access; both arrays begin on 256 bytes
    if (n % 4) {
        for (long long i = thread; i < n; i += stride)
            to[i] = from[i];
        return;
    }
    const float4 *__restrict__ from4 = (const float4 *)from;
    float4 *__restrict__ to4 = (float4 *)to;
    for (long long i = thread; i < n / 4; i += stride)
        to4[i] = from4[i];
    //| for (long long i = thread; i < n / 4; i += stride)
    //|     to[i] = from[i];
    // END SOLUTION

    // BEGIN SOLUTION: the elements after the last whole group, one by one: there are 3 at most
    const long long last = n / 4 * 4LL + thread;
    if (last < n)
        to[last] = from[last];
    // END SOLUTION
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const int needed = (p->n - 1) / (4 * THREADS) + 1; // blocks for 4 elements per thread
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const int blocks = held > 0 && held < needed ? held : needed;
    copy<<<blocks, THREADS, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"vectors", launch});
