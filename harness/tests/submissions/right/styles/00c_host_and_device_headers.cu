// expect: ok
// All of cub and thrust included, a part of it used; a host helper that may throw.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <iostream>
#include <stdexcept>
#include "families/reduction.h"

constexpr int threads = 256;

template <typename T> __global__ void reduce_kernel(int n, const T *x, T *sum)
{
    using WarpReduce = cub::WarpReduce<T>;
    __shared__ typename WarpReduce::TempStorage memory[threads / 32];
    __shared__ T parts[threads / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    T own = 0;
    for (long long i = (long long)blockIdx.x * threads + threadIdx.x; i < n;
         i += (long long)gridDim.x * threads)
        own += x[i];
    own = WarpReduce(memory[warp]).Sum(own);
    if (lane == 0)
        parts[warp] = own;
    __syncthreads();
    if (warp == 0) {
        own = WarpReduce(memory[0]).Sum(lane < threads / 32 ? parts[lane] : T(0));
        if (lane == 0)
            atomicAdd(sum, own);
    }
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    const int most = 8 * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    cudaError_t error = cudaMemsetAsync(p->sum, 0, sizeof(float), stream);
    if (error != cudaSuccess)
        return error;
    reduce_kernel<float><<<std::min((p->n + threads - 1) / threads, most), threads, 0, stream>>>(
        p->n, p->x, p->sum);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"warp_sums", launch});
