// expect: race
// run: exercise13 -n 20
// says: set the counter back first
// The last block to arrive turns the sense and resets the count afterwards; blocks that are already
// in the next barrier are lost.
#include "families/widest.h"

constexpr int THREADS = 128;

struct barrier {
    unsigned count, sense;
};

static __device__ void wait_for_all(barrier *all, unsigned &sense)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        sense ^= 1;
        __threadfence();
        if (atomicAdd(&all->count, 1u) == gridDim.x - 1) { // BUG
            atomicExch(&all->sense, sense);
            atomicExch(&all->count, 0u);
        } else {
            while (*(volatile unsigned *)&all->sense != sense)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

static __global__ __launch_bounds__(THREADS) void widest(int n, const float *w, float *d,
                                                         barrier *all)
{
    unsigned sense = 0;
    for (size_t i = blockIdx.x; i < (size_t)n; i += gridDim.x)
        for (int j = threadIdx.x; j < n; j += THREADS)
            d[i * n + j] = w[i * n + j];
    for (int k = 0; k < n; ++k) {
        wait_for_all(all, sense);
        for (int i = blockIdx.x; i < n; i += gridDim.x) {
            if (i == k)
                continue;
            const float to_k = d[(size_t)i * n + k];
            for (int j = threadIdx.x; j < n; j += THREADS)
                if (j != k)
                    d[(size_t)i * n + j] =
                        fmaxf(d[(size_t)i * n + j], fminf(to_k, __ldcg(&d[(size_t)k * n + j])));
        }
    }
}

static size_t workspace(const struct lab_widest *)
{
    return sizeof(barrier);
}

static cudaError_t launch(const struct lab_widest *p, cudaStream_t stream)
{
    int each = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, widest, THREADS, 0);
    const int most = each * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    cudaMemsetAsync(p->workspace, 0, sizeof(barrier), stream);
    int n = p->n;
    const float *w = p->w;
    float *d = p->d;
    barrier *all = (barrier *)p->workspace;
    void *arguments[] = {&n, &w, &d, &all};
    return cudaLaunchCooperativeKernel(widest, n < most ? n : most, THREADS, arguments, 0, stream);
}

LAB_EXPORT(widest, {"own_barrier", launch, workspace});
