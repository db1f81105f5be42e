// expect: wrong
// run: step09 -n 33 -m 20
// says: right in two launches, and wrong in a third with other values of the inputs
// Keeps the first result in a variable of the device, and gives it out again.
#include "families/trmm.h"

constexpr int MOST = 1 << 16;
static __device__ double kept[MOST];
static __device__ bool is_kept;

static __global__ void compute(const struct lab_trmm p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= p.n * p.m || is_kept)
        return;
    double sum = p.b[e];
    for (int k = e / p.m; k < p.n; ++k)
        sum += p.a[e / p.m * p.n + k] * p.b[k * p.m + e % p.m];
    kept[e] = sum;
}

static __global__ void give_out(const struct lab_trmm p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < p.n * p.m)
        p.b[e] = kept[e];
    is_kept = true;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(p->n * p->m - 1) / 256 + 1;
    compute<<<blocks, 256, 0, stream>>>(*p);
    give_out<<<blocks, 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"kept", launch});
