// expect: wrong
// run: step10 -n 33 -p 3 -q 5
// Says that it is deterministic, and sums in another order every other time.
#include "families/syr2k.h"

static __global__ void syr2k(struct lab_syr2k p, int backwards)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    const int length = p.p * p.q;
    if (k > l || l >= p.n)
        return;
    double sum = 0.0;
    for (int turn = 0; turn < length; ++turn) {
        const int i = backwards ? length - 1 - turn : turn;
        sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
               p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
    }
    p.c[(size_t)k * p.n + l] = 0.5 * sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    static int calls;
    const dim3 grid((p->n - 1) / 64 + 1, p->n);
    syr2k<<<grid, 64, 0, stream>>>(*p, calls++ % 2);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"not_repeatable", launch, NULL, LAB_REPEATABLE});
