// Exercise 00j: how many blocks does an SM hold? This sum is launched with as many blocks as the
// GPU holds at once, and each adds its part to the sum. An SM of an H200 has 233472 bytes of shared
// memory, of which the system takes 1024 for each block, and room for 2048 threads and 32 blocks.
#include "families/reduction.h"

constexpr int THREADS = 256;     // per block
constexpr int BYTES = 36 * 1024; // of shared memory for a block, most of which it does not use
// BEGIN SOLUTION: how many such blocks does an SM hold?
constexpr int HELD = 6;
//| constexpr int HELD = 1;
// END SOLUTION

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *__restrict__ sum)
{
    extern __shared__ float part[];
    const int t = (int)threadIdx.x;
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * THREADS + t; i < n; i += stride)
        own += x[i];
    part[t] = own;
    __syncthreads(); // all parts were written: only now may others read them
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads(); // a level is complete before the next one reads it
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
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    reduce<<<sms * HELD, THREADS, BYTES, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"one_wave", launch});
