// expect: wrong
// run: step08 -m 300 -n 70 -k 5
// says: right in two launches, and wrong in a third where the bandwidth is tiny
// Keeps the first sums in a variable of the device, and gives them out again.
#include "families/kernel_summation.h"

constexpr int MOST = 1 << 16;
static __device__ float kept[MOST];
static __device__ bool is_kept;

static __global__ void compute(const struct lab_kernel_summation p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= p.m || is_kept)
        return;
    float sum = 0.0f;
    for (int j = 0; j < p.n; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[e * p.k + i] - p.b[j * p.k + i];
            distance += apart * apart;
        }
        sum += expf(-distance / (2.0f * p.h * p.h)) * p.w[j];
    }
    kept[e] = sum;
}

static __global__ void give_out(const struct lab_kernel_summation p)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < p.m)
        p.v[e] = kept[e];
    is_kept = true;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(p->m - 1) / 256 + 1;
    compute<<<blocks, 256, 0, stream>>>(*p);
    give_out<<<blocks, 256, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"kept", launch});
