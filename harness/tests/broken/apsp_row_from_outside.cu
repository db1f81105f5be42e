// expect: uninitialized
// on a GPU: wrong
// run: step11 -n 20
// says: a lane that does not take part
// A lane for each column; row k comes from lane k of the first half, which the second half's mask
// leaves out.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = threadIdx.x, i = blockIdx.x;
    const unsigned half = j < 16 ? 0x0000FFFF : 0xFFFF0000;
    const float mine = j < n ? d[i * n + j] : INFINITY;
    float by = INFINITY;
    if (j < 16)
        by = __shfl_sync(half, mine, k);
    else
        by = __shfl_sync(half, mine, k % 16); // BUG
    __syncwarp();
    if (i != k && j < n && j != k)
        d[i * n + j] = fminf(mine, by + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        through<<<p->n, 32, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"row_from_outside", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
