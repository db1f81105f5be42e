// expect: race
// run: step08 -m 65 -n 70 -k 5
// says: wait for it, so that what comes next there may be done before
// no line: of the order of launches
// All is done in a stream of the own, which does not block, and the given one is not used.
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
    static cudaEvent_t begin;
    if (!side) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreate(&begin);
    }
    cudaEventRecord(begin, stream);
    cudaStreamWaitEvent(side, begin, 0);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, side>>>(*p, lab_exponent_factor(p->h), p->w);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"stream_without_events", launch, NULL});
