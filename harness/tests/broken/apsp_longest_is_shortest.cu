// expect: wrong
// run: step11 -n 40 --semiring max-plus
// says: a longer path was not found: do all products take place
// The longest way is kept only where there was none.
#include "families/apsp.h"

#include <math.h>

static __global__ void through_vertex(int n, int k, float *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    if (i == k || j == k)
        return;
    if (d[i * n + j] < 0.0f)
        d[i * n + j] = fmaxf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
        status = cudaGetLastError();
    }
    return status;
}

LAB_EXPORT(apsp, {"longest_is_shortest", launch, NULL,
                  LAB_APSP_FLOATS | LAB_APSP_LENGTHS | LAB_APSP_LONGEST});
