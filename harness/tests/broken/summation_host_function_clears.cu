// expect: forbidden
// run: step08 -m 33 -n 70 -k 5
// says: a host function of the stream calls cudaMemset(), but host functions may not use CUDA
// says not: Async
// no line: the host is at fault
// A host function clears the sums that the kernel adds to. On the host's side nothing may use CUDA
// while the stream waits for it.
#include "families/kernel_summation.h"

static size_t bytes;

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; i < p.m && j < p.n; ++j) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; ++d) {
            const float apart = p.a[i * p.k + d] - p.b[j * p.k + d];
            distance += apart * apart;
        }
        p.v[i] += expf(factor * distance) * p.w[j];
    }
}

static void CUDART_CB clear(void *sums)
{
    cudaMemset(sums, 0, bytes);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    bytes = sizeof(float) * p->m;
    cudaLaunchHostFunc(stream, clear, p->v);
    sum_up<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"host_function_clears", launch});
