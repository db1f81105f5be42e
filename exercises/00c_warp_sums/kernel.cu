// Exercise 00c: the sum of a block with one barrier. Each warp adds its 32 parts by shuffles and
// puts one float into shared memory; after the barrier the first warp adds those, by shuffles
// again.
#include "families/reduction.h"

constexpr int THREADS = 256; // per block
constexpr int WARPS = THREADS / 32;
constexpr int BLOCKS_PER_SM = 8; // 2048 threads: as many as an SM holds

// The sum over the 32 lanes of a warp, in its lane 0. All lanes must take part.
static __device__ __forceinline__ float warp_sum(float part)
{
    // TODO: five levels of __shfl_down_sync(0xFFFFFFFF, part, apart)
    return part;
}

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *__restrict__ sum)
{
    __shared__ float part[WARPS];
    const int t = (int)threadIdx.x, warp = t / 32, lane = t % 32;
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        own += x[i];
    own = warp_sum(own);
    if (lane == 0)
        part[warp] = own;
    __syncthreads(); // all parts were written: only now may others read them
    if (warp != 0)
        return;
    // TODO: the sum of all parts, in lane 0; there are fewer parts than lanes
    own = part[lane % WARPS];
    if (lane == 0)
        atomicAdd(sum, own); // one for each block
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    // all blocks add to it: it must be 0 before
    const cudaError_t cleared = cudaMemsetAsync(p->sum, 0, sizeof *p->sum, stream);
    if (cleared != cudaSuccess)
        return cleared;
    const int needed = (p->n - 1) / THREADS + 1; // blocks for an element per thread
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const int blocks = held > 0 && held < needed ? held : needed; // a small array needs fewer
    reduce<<<blocks, THREADS, 0, stream>>>(p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"warp_sums", launch});
