// expect: race
// on a GPU: ok
// run: step08 -m 65 -n 70 -k 5
// says: a call of cuBLAS runs in another stream
// no line: of the order of launches
// The library's product is left to a stream of the own, without an event before it or behind it.
#include "families/kernel_summation.h"

static __global__ void sum(struct lab_kernel_summation p, float factor, const float *products)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    if (i >= p.m)
        return;
    for (int j = 0; j < p.n; j++) {
        float distance = -2.0f * products[(size_t)i * p.n + j];
        for (int l = 0; l < p.k; l++)
            distance += p.a[(size_t)i * p.k + l] * p.a[(size_t)i * p.k + l] +
                        p.b[(size_t)j * p.k + l] * p.b[(size_t)j * p.k + l];
        total += expf(fmaxf(distance, 0.0f) * factor) * p.w[j];
    }
    p.v[i] = total;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    static cudaStream_t side;
    float *const products = (float *)p->workspace;
    if (!side)
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    p->library->product(p->library, p->m, p->n, p->k, p->a, p->b, products, side);
    sum<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, lab_exponent_factor(p->h), products);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"library_in_own_stream", launch, workspace});
