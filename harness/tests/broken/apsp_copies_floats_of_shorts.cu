// expect: launch_error
// run: step11 -n 130 --type u16
// says: from cudaMemcpyAsync()
// Copies as many bytes as floats take, of whatever type the problem is.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x)
        if (e / n != k && e % n != k)
            d[e] = fminf(d[e], d[e / n * n + k] + d[k * n + e % n]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = sizeof(float) * p->n * p->n;
    const cudaError_t copied = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && copied == cudaSuccess; ++k)
        through<<<1, 256, 0, stream>>>(p->n, k, (float *)p->d);
    return copied;
}

LAB_EXPORT(apsp, {"copies_floats_of_shorts", launch, NULL, LAB_APSP_LENGTHS});
