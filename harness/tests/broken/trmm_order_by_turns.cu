// expect: wrong
// run: step09 -n 33 -m 5
// says: deterministic
// Promises the same bits, and adds up forwards and backwards by turns.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p, bool forwards)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = 0.0;
        for (int step = 0; step < p.n - i; step++) {
            const int k = forwards ? i + step : p.n - 1 - step;
            sum += p.a[i * p.n + k] * p.b[k * p.m + j];
        }
        p.b[i * p.m + j] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    static bool forwards;
    forwards = !forwards;
    trmm<<<1, p->m, 0, stream>>>(*p, forwards);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"order_by_turns", launch, NULL, LAB_REPEATABLE});
