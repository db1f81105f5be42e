// Warm-up, copy: a grid-stride loop. As many blocks as the device holds at once go over the array
// together, each time a whole grid further. Neighbouring threads still take neighbouring elements.
#include "families/copy.h"

constexpr int THREADS = 256;     // per block
constexpr int BLOCKS_PER_SM = 8; // 2048 threads: as many as an SM holds

static __global__ __launch_bounds__(THREADS) void copy(int n, const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        to[i] = from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const int needed = (p->n - 1) / THREADS + 1; // blocks for an element per thread
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const int blocks = held > 0 && held < needed ? held : needed; // a small array needs fewer
    copy<<<blocks, THREADS, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"grid_stride", launch});
