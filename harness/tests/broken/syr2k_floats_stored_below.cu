// expect: out_of_bounds
// run: step10 -n 33 -p 3 -q 5 --type f32
// says: are row and column exchanged in C's index?
// no line: the message has that of the store
// In float; each element is stored in the place of its mirror image.
#include "families/syr2k.h"

static __global__ void syr2k(struct lab_syr2k p)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const int length = p.p * p.q;
    if (k > l || l >= p.n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < length; ++i)
        sum += p.a_float[(size_t)l * length + i] * p.b_float[(size_t)k * length + i] +
               p.a_float[(size_t)k * length + i] * p.b_float[(size_t)l * length + i];
    p.c_float[(size_t)l * p.n + k] = 0.5f * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3((p->n - 1) / 64 + 1, p->n), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"stored_below", launch, NULL, LAB_SYR2K_FLOATS});
