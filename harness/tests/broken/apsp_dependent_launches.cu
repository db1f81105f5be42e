// expect: race
// on a GPU: ok
// run: step11 -n 37
// says: griddepcontrol.wait
// Each vertex's launch may begin before that of the one before has ended.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    asm volatile("griddepcontrol.launch_dependents;");
    if (i != k && j != k)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]); // BUG
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = how.blockDim = p->n;
    how.stream = stream;
    how.attrs = &overlap;
    how.numAttrs = 1;
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; ++k)
        cudaLaunchKernelEx(&how, through, p->n, k, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"dependent_launches", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
