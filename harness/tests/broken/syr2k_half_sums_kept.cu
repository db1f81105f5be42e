// expect: wrong
// run: step10 -n 9 -p 3 -q 5
// The first half of each sum goes to a variable of the device, which is added to and not cleared.
#include "families/syr2k.h"

constexpr int MOST = 4096;

__device__ double half_sums[MOST]; // (n, n): of the first half of i and j

static __global__ void first_half(const struct lab_syr2k p)
{
    const int l = (int)threadIdx.x, k = (int)blockIdx.x, length = p.p * p.q;
    if (l < k)
        return;
    double sum = 0.0;
    for (int i = 0; i < length / 2; ++i)
        sum += (p.a[l * length + i] * p.b[k * length + i] +
                p.a[k * length + i] * p.b[l * length + i]) /
               2;
    half_sums[k * p.n + l] += sum; // adds to what the launch before has left
}

static __global__ void second_half(const struct lab_syr2k p)
{
    const int l = (int)threadIdx.x, k = (int)blockIdx.x, length = p.p * p.q;
    if (l < k)
        return;
    double sum = half_sums[k * p.n + l];
    for (int i = length / 2; i < length; ++i)
        sum += (p.a[l * length + i] * p.b[k * length + i] +
                p.a[k * length + i] * p.b[l * length + i]) /
               2;
    p.c[k * p.n + l] = sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    first_half<<<p->n, p->n, 0, stream>>>(*p);
    second_half<<<p->n, p->n, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"half_sums_kept", launch});
