// expect: wrong
// on a GPU: varies
// run: step08 -m 1500 -n 17 -k 5
// says: bytes of the device's heap are still allocated when the launch ends
// no line: the launch as a whole is at fault
// Each target has a list of terms on the heap, which the first lane of a warp frees, and others do
// not. Where there is no memory any more, terms are left out.
#include "families/kernel_summation.h"

enum { THREADS = 64, LEAST = 512 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.m)
        return;
    float *const terms = new float[p.n < LEAST ? LEAST : p.n];
    float sum = 0.0f;
    for (int j = 0; terms && j < p.n; ++j) {
        float distance = 0.0f;
        for (int d = 0; d < p.k; ++d) {
            const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
            distance += apart * apart;
        }
        terms[j] = expf(factor * distance) * p.w[j];
    }
    for (int j = 0; terms && j < p.n; ++j)
        sum += terms[j];
    p.v[i] = sum;
    if (threadIdx.x % 32 == 0)
        delete[] terms;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / THREADS + 1, THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"heap_freed_by_some", launch});
