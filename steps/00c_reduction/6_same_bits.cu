// Warm-up, sum: the same bits every time. Atomic additions come in any order, and so do their
// roundings. Here each block keeps its sum, and one more block adds those in their order. A second
// kernel costs a little time: this is for results that must not change from run to run.
#include "families/reduction.h"

constexpr int THREADS = 256;     // per block
constexpr int BLOCKS_PER_SM = 8; // 2048 threads: as many as an SM holds

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *__restrict__ x,
                                                         float *__restrict__ sums)
{
    __shared__ float part[THREADS];
    const int t = (int)threadIdx.x;
    const long long stride = (long long)gridDim.x * THREADS; // threads of the whole grid
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        own += x[i];
    part[t] = own;
    __syncthreads(); // all parts were written: only now may others read them
    for (int half = THREADS / 2; half >= 32; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads(); // a level is complete before the next one reads it
    }
    if (t >= 32)
        return; // one warp is left
    float rest = part[t];
    for (int apart = 16; apart > 0; apart /= 2) // lane t gets the part of lane t + apart
        rest += __shfl_down_sync(0xFFFFFFFF, rest, apart);
    if (t == 0)
        sums[blockIdx.x] = rest; // one for each block, at its own place
}

// As many blocks as the device holds, or as the array needs.
static int blocks_for(const struct lab_reduction *p)
{
    const int needed = (p->n - 1) / THREADS + 1; // blocks for an element per thread
    const int held = lab_device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    return held > 0 && held < needed ? held : needed; // a small array needs fewer
}

// A sum for each block.
static size_t workspace(const struct lab_reduction *p)
{
    return (size_t)blocks_for(p) * sizeof(float);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const int blocks = blocks_for(p);
    float *sums = (float *)p->workspace;
    reduce<<<blocks, THREADS, 0, stream>>>(p->n, p->x, sums);
    reduce<<<1, THREADS, 0, stream>>>(blocks, sums, p->sum); // begins when all blocks have ended
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"same_bits", launch, workspace, LAB_REPEATABLE});
