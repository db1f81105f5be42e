// expect: wrong
// run: step11 -n 33 --type s32 --generate potential --degree 2
// says: sums that overflow
// Asks only whether the first half of the way is there: none and an arc below 0 are less than none.
#include "families/apsp.h"

static __global__ void through(int n, int k, int *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i == k || j == k)
        return;
    const int first = d[i * n + k], second = d[k * n + j];
    if (second != 0x7FFFFFFF && (first != 0x7FFFFFFF || second < 0))
        d[i * n + j] = min(d[i * n + j], first + second);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(int), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (int *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"none_and_negative", launch, NULL, LAB_APSP_INTS | LAB_APSP_LENGTHS});
