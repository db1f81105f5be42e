// expect: divergent_barrier
// run: step11 -n 33
// A warp asks whether any of its lanes has found something; lanes beyond the last vertex do not
// come.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (j < n) {
        const float way = d[i * n + k] + d[k * n + j];
        const bool is_better = i != k && j != k && way < d[i * n + j];
        if (__any_sync(0xFFFFFFFF, is_better)) // BUG
            if (is_better)
                d[i * n + j] = way;
    }
    __syncwarp();
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, 64, 0, stream>>>(p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"votes_of_some", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
