// expect: race
// run: step11 -n 29
// says: of the same warp come in any order
// One warp does all rounds on the matrix in global memory, a column for each lane, and takes it
// for granted that lanes run in step.
#include "families/apsp.h"

static __global__ void all_rounds(int n, const float *w, float *d)
{
    const int j = threadIdx.x;
    for (int i = 0; i < n && j < n; ++i)
        d[i * n + j] = w[i * n + j];
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n && j < n; ++i)
            d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->n > 32)
        return cudaErrorInvalidValue;
    all_rounds<<<1, 32, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"lanes_in_step", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
