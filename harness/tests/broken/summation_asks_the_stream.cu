// expect: forbidden
// run: step08 -m 9 -n 20 -k 3
// says: asks whether the device is done
// Returns what the stream says while the kernel still runs.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor)
{
    float total = 0.0f;
    for (int j = 0; j < p.n; j++) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; l++) {
            const float d = p.a[blockIdx.x * p.k + l] - p.b[j * p.k + l];
            distance += d * d;
        }
        total += expf(distance * factor) * p.w[j];
    }
    p.v[blockIdx.x] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<p->m, 1, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaStreamQuery(stream);
}

LAB_EXPORT(kernel_summation, {"asks_the_stream", launch});
