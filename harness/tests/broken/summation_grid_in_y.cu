// expect: unwritten
// run: step08 -m 65601 -n 3 -k 2
// says: all from element 65535 on
// says: the y and z of a grid
// A block for each source, in y; there are only 65535 of them, and the rest is left out.
#include "families/kernel_summation.h"

static __global__ void sum(const struct lab_kernel_summation p)
{
    const size_t i = blockIdx.y;
    float total = 0.0f;
    for (int j = 0; j < p.n; ++j) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; ++l) {
            const float d = p.a[i * p.k + l] - p.b[(size_t)j * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[j];
    }
    p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<dim3(1, p->m < 65535 ? p->m : 65535), 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"grid_in_y", launch});
