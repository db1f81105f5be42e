// run: step08
// Blocks of a cooperative launch meet at a barrier of their own: a reduction that releases and a
// load that acquires, by one thread between two barriers of its block.
#include "families/kernel_summation.h"

constexpr int THREADS = 128;

static __device__ void wait_for_all(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        unsigned seen = 0;
        while (seen < gridDim.x)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(arrived)
                         : "memory");
    }
    __syncthreads();
}

static __global__ __launch_bounds__(THREADS) void summation(const struct lab_kernel_summation p,
                                                            float factor, unsigned *arrived,
                                                            float *turned)
{
    const size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x,
                 threads = (size_t)gridDim.x * THREADS;
    for (size_t at = thread; at < (size_t)p.n * p.k; at += threads)
        turned[at % p.k * p.n + at / p.k] = p.b[at];
    wait_for_all(arrived);
    for (size_t i = thread; i < (size_t)p.m; i += threads) {
        float sum = 0.0f;
        for (int j = 0; j < p.n; ++j) {
            float r2 = 0.0f;
            for (int d = 0; d < p.k; ++d) {
                const float x = p.a[i * p.k + d] - turned[(size_t)d * p.n + j];
                r2 += x * x;
            }
            sum += expf(factor * r2) * p.w[j];
        }
        p.v[i] = sum;
    }
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return 256 + (size_t)p->n * p->k * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    int each = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, summation, THREADS, 0);
    const int most = each * lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int wanted = (p->m - 1) / THREADS + 1;
    unsigned *arrived = (unsigned *)p->workspace;
    float *turned = (float *)(arrived + 64), factor = lab_exponent_factor(p->h);
    cudaMemsetAsync(arrived, 0, sizeof *arrived, stream);
    void *arguments[] = {(void *)p, &factor, &arrived, &turned};
    return cudaLaunchCooperativeKernel(summation, wanted < most ? wanted : most, THREADS, arguments,
                                       0, stream);
}

LAB_EXPORT(kernel_summation, {"two_phases", launch, workspace});
