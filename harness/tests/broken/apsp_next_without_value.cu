// expect: uninitialized
// on a GPU: wrong
// run: step11 -n 33 --paths
// The vertex after the first is set where a shorter way was found, and stored everywhere: what is
// stored without a value counts as not written, and is read in the next round.
#include "families/apsp.h"

#include <math.h>

static __global__ void begin(const struct lab_apsp p)
{
    const int e = blockIdx.x * p.n + threadIdx.x;
    const float w = ((const float *)p.w)[e];
    ((float *)p.d)[e] = w;
    p.next[e] = w < INFINITY ? (int)threadIdx.x : -1;
}

static __global__ void through(const struct lab_apsp p, int k)
{
    const int i = blockIdx.x, j = threadIdx.x, e = i * p.n + j;
    float *const d = (float *)p.d;
    const float way = d[i * p.n + k] + d[k * p.n + j];
    int next;
    if (i == k || j == k)
        return;
    if (way < d[e]) {
        d[e] = way;
        next = p.next[i * p.n + k]; // BUG
    }
    p.next[e] = next;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    begin<<<p->n, p->n, 0, stream>>>(*p);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, p->n, 0, stream>>>(*p, k);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"next_without_value", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_PATHS});
