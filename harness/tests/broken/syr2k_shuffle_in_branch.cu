// expect: divergent_barrier
// run: step10 -n 17 -p 3 -q 5
// All lanes are named in the shuffle, but those below the diagonal do not come to it.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    const int k = blockIdx.x, l = threadIdx.x / 4, part = threadIdx.x % 4, each = p.p * p.q;
    if (l >= p.n)
        return;
    if (l >= k) {
        double sum = 0.0;
        for (int i = part; i < each; i += 4)
            sum += p.a[l * each + i] * p.b[k * each + i] + p.a[k * each + i] * p.b[l * each + i];
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 1, 4); // BUG
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 2, 4);
        if (part == 0)
            p.c[k * p.n + l] = 0.5 * sum;
    }
    __syncwarp();
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<p->n, (p->n * 4 + 31) / 32 * 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"shuffle_in_branch", launch});
