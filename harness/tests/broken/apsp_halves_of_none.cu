// expect: wrong
// on a GPU: ok
// run: step11 -n 33 --type s32
// says: there is no such path
// Halves what is too long before adding, so that nothing overflows; the sum is less than "no path".
#include "families/apsp.h"

#include <limits.h>

static __global__ void relax(struct lab_apsp p, int k)
{
    int *const d = (int *)p.d;
    for (int e = threadIdx.x; e < p.n * p.n; e += blockDim.x) {
        const int to = d[e / p.n * p.n + k], on = d[k * p.n + e % p.n]; // BUG
        const int way =
            (to < INT_MAX / 2 ? to : INT_MAX / 2) + (on < INT_MAX / 2 ? on : INT_MAX / 2);
        if (way < d[e])
            d[e] = way;
    }
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, sizeof(int) * p->n * p->n, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        relax<<<1, 256, 0, stream>>>(*p, k);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"halves_of_none", launch, NULL, LAB_APSP_INTS | LAB_APSP_LENGTHS});
