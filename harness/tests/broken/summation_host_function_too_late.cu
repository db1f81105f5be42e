// expect: wrong
// run: step08 -m 65 -n 70 -k 5
// The exponent's factor is computed by a host function, when the stream comes to it: too late for
// an argument that is taken when the launch is enqueued.
#include "families/kernel_summation.h"

static float factor, h;

static __global__ void sum(struct lab_kernel_summation p, float factor)
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
        total += expf(distance * factor) * p.w[j];
    }
    p.v[i] = total;
}

static void set_factor(void *unused)
{
    factor = lab_exponent_factor(h);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    h = p->h;
    cudaLaunchHostFunc(stream, set_factor, NULL);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, factor);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"host_function_too_late", launch});
