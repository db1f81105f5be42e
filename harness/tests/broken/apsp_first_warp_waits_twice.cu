// expect: race
// run: step11 -n 33
// says: let each other go on
// The first warp comes to a second barrier after the copy, which opens with the first one of the
// loop.
#include "families/apsp.h"

static __global__ void relax(int n, const float *w, float *out)
{
    __shared__ float d[33 * 33];
    for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x)
        d[e] = w[e];
    __syncthreads();
    if (threadIdx.x < 32)
        __syncthreads();
    for (int k = 0; k < n; ++k) {
        for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x)
            if (e / n != k && e % n != k)
                d[e] = fminf(d[e], d[e / n * n + k] + d[k * n + e % n]); // BUG
        __syncthreads();
    }
    for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x)
        out[e] = d[e];
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    relax<<<1, 128, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"first_warp_waits_twice", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
