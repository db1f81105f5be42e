// run: step08
// All is done in a stream of the own, which does not block, between two events.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor, const float *weights)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * weights[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    static cudaStream_t side;
    static cudaEvent_t begin, end;
    if (!side) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
    }
    cudaEventRecord(begin, stream);
    cudaStreamWaitEvent(side, begin, 0);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, side>>>(*p, lab_exponent_factor(p->h), p->w);
    cudaEventRecord(end, side);
    cudaStreamWaitEvent(stream, end, 0);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"stream_and_events", launch, NULL});
