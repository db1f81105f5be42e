// expect: out_of_bounds
// run: step11 -n 17
// says: host pointer
// The problem's struct, which is the host's, by its address in place of its value.
#include "families/apsp.h"

static __global__ void through(const struct lab_apsp *p, int k)
{
    const int i = blockIdx.x, j = threadIdx.x, n = p->n; // BUG
    float *const d = (float *)p->d;
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, p->n, 0, stream>>>(p, k);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"problem_by_pointer", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
