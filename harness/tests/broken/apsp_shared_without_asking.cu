// expect: launch_error
// run: step11 -n 33
// says: cudaFuncSetAttribute
// More than 48 KB of dynamic shared memory takes a call before.
#include "families/apsp.h"

static __global__ void relax(const struct lab_apsp p)
{
    extern __shared__ float d[];
    const int count = p.n * p.n;
    for (int e = threadIdx.x; e < count; e += blockDim.x)
        d[e] = ((const float *)p.w)[e];
    for (int k = 0; k < p.n; k++) {
        __syncthreads();
        for (int e = threadIdx.x; e < count; e += blockDim.x)
            if (e / p.n != k && e % p.n != k)
                d[e] = fminf(d[e], d[e / p.n * p.n + k] + d[k * p.n + e % p.n]);
    }
    __syncthreads();
    for (int e = threadIdx.x; e < count; e += blockDim.x)
        ((float *)p.d)[e] = d[e];
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    relax<<<1, 256, 128 * 128 * sizeof(float), stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"shared_without_asking", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
