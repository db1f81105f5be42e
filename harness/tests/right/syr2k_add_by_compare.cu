// run: step10
// Parts of the long sum are added as on GPUs that cannot add doubles: by compare and swap. What has
// the bits of a NaN is nobody's sum yet; the triangle alone is cleared before.
#include "families/syr2k.h"

enum { PARTS = 3 };

static __device__ void add(double *to, double value)
{
    unsigned long long *const at = (unsigned long long *)to, old = *at, seen = old;
    unsigned long long now = old;
    do {
        seen = now;
        now = atomicCAS(at, seen, __double_as_longlong(__longlong_as_double(seen) + value));
    } while (now != seen);
}

static __global__ void clear(const struct lab_syr2k p)
{
    for (int l = blockIdx.x + threadIdx.x; l < p.n; l += blockDim.x)
        p.c[(size_t)blockIdx.x * p.n + l] = 0.0;
}

static __global__ void sum_up(const struct lab_syr2k p)
{
    const int k = blockIdx.x, each = p.p * p.q;
    for (int l = k + threadIdx.x; l < p.n; l += blockDim.x) {
        double sum = 0.0;
        for (int i = blockIdx.y; i < each; i += PARTS)
            sum += p.a[(size_t)l * each + i] * p.b[(size_t)k * each + i] +
                   p.a[(size_t)k * each + i] * p.b[(size_t)l * each + i];
        add(&p.c[(size_t)k * p.n + l], 0.5 * sum);
    }
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    clear<<<p->n, 64, 0, stream>>>(*p);
    sum_up<<<dim3(p->n, PARTS), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"compare", launch});
