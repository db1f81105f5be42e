// run: step11
// One block of 1024 threads walks through all vertices, with barriers for global memory too; a row
// and a column that it needs are first put by.
#include "families/apsp.h"

static __global__ void __launch_bounds__(1024) relax(const struct lab_apsp p)
{
    const float *const w = (const float *)p.w;
    float *const d = (float *)p.d, *const row = (float *)p.workspace, *const column = row + p.n;
    const size_t count = (size_t)p.n * p.n;
    for (size_t e = threadIdx.x; e < count; e += blockDim.x)
        d[e] = w[e];
    for (int k = 0; k < p.n; k++) {
        __syncthreads();
        for (int i = threadIdx.x; i < p.n; i += blockDim.x) {
            row[i] = d[(size_t)k * p.n + i];
            column[i] = d[(size_t)i * p.n + k];
        }
        __syncthreads();
        for (size_t e = threadIdx.x; e < count; e += blockDim.x)
            d[e] = fminf(d[e], column[e / p.n] + row[e % p.n]);
    }
}

static size_t workspace(const struct lab_apsp *p)
{
    return 2 * (size_t)p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    relax<<<1, 1024, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"one_block", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
