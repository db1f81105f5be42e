// expect: race
// on a GPU: ok
// run: step11 -n 29
// says: of the same warp come in any order
// A warp squares the matrix in place, each lane a column: row i is read by all lanes, and stored by
// each where the others may not have read it yet.
#include "families/apsp.h"

static __global__ void squares(int n, const float *w, float *d, int products)
{
    const int j = threadIdx.x;
    for (int i = 0; i < n && j < n; ++i)
        d[i * n + j] = w[i * n + j];
    __syncwarp();
    for (int round = 0; round < products; ++round)
        for (int i = 0; i < n; ++i) {
            float least = INFINITY;
            for (int k = 0; k < n && j < n; ++k)
                least = fminf(least, d[i * n + k] + d[k * n + j]);
            if (j < n)
                d[i * n + j] = least; // BUG
            __syncwarp();
        }
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->n > 32)
        return cudaErrorNotSupported;
    squares<<<1, 32, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d, lab_apsp_products(p));
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"lanes_store_early", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
