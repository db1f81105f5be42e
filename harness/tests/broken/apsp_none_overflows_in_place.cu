// expect: wrong
// run: step11 -n 40 --type s32
// says: has become
// says: leave out every sum of which a part is
// INT_MAX + INT_MAX is -2, on the diagonal, too: the rows and columns through k change while others
// read them.
#include "families/apsp.h"

static __global__ void relax(int n, int k, int *d)
{
    const int i = (int)blockIdx.y, j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (j < n)
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, sizeof(int) * p->n * p->n, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        relax<<<dim3((p->n - 1) / 64 + 1, p->n), 64, 0, stream>>>(p->n, k, (int *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"none_overflows_in_place", launch, NULL, LAB_APSP_INTS | LAB_APSP_LENGTHS});
