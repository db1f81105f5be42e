// expect: race
// run: step11 -n 33
// says: a launch for each round
// Each thread goes through all vertices for its own pair, in one launch.
#include "families/apsp.h"

static __global__ void relax(int n, float *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    for (int k = 0; k < n; k++)
        if (i != k && j != k)
            d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    relax<<<p->n, p->n, 0, stream>>>(p->n, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"vertices_inside", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
