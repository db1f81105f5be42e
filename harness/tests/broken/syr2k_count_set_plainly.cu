// expect: race
// on a GPU: ok
// run: step10 -n 9
// Each block counts itself as begun. The second one stores the number instead, which is right only
// if it comes second.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p, int length, unsigned *begun)
{
    const int k = blockIdx.x;
    if (threadIdx.x == 0 && k == 1)
        *begun = 1; // BUG
    else if (threadIdx.x == 0 && k == 0)
        atomicAdd(begun, 1u);
    for (int l = k + (int)threadIdx.x; l < p.n; l += (int)blockDim.x) {
        double sum = 0.0;
        for (int i = 0; i < length; ++i)
            sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
                   p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
        p.c[(size_t)k * p.n + l] = 0.5 * sum;
    }
}

static size_t workspace(const struct lab_syr2k *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    syr2k<<<p->n, 64, 0, stream>>>(*p, p->p * p->q, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"count_set", launch, workspace});
