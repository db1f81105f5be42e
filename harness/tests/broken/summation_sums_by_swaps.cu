// expect: wrong
// run: step08 -m 30 -n 50 -k 3
// says: deterministic
// Promises the same bits, and adds by compare-and-swap in the order in which blocks come.
#include "families/kernel_summation.h"

enum { PARTS = 7 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor, unsigned *bits)
{
    const int row = (int)(blockIdx.x / PARTS), part = (int)(blockIdx.x % PARTS);
    float sum = 0.0f;
    for (int j = part; j < p.n; j += PARTS) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        sum += expf(factor * distance) * p.w[j];
    }
    unsigned old = 0, seen;
    while ((seen = atomicCAS(&bits[row], old, __float_as_uint(__uint_as_float(old) + sum))) != old)
        old = seen;
}

static __global__ void store(int m, const unsigned *bits, float *v)
{
    if (threadIdx.x < m)
        v[threadIdx.x] = __uint_as_float(bits[threadIdx.x]);
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    sum_up<<<(unsigned)p->m * PARTS, 1, 0, stream>>>(*p, lab_exponent_factor(p->h),
                                                     (unsigned *)p->workspace);
    store<<<1, (unsigned)p->m, 0, stream>>>(p->m, (const unsigned *)p->workspace, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"swaps", launch, workspace, LAB_REPEATABLE});
