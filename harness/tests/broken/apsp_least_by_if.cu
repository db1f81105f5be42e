// expect: race
// run: step11 -n 72
// says: keep the least or the greatest with atomicMin()
// Two blocks try half of the middle vertices each, and keep the least length by a comparison.
#include "families/apsp.h"

enum { THREADS = 64 };

static __global__ void try_half(int n, const float *from, volatile float *d)
{
    const int i = blockIdx.x, half = blockIdx.y;
    for (int j = threadIdx.x; j < n; j += THREADS) {
        float least = from[(size_t)i * n + j];
        for (int k = half * n / 2; k < (half + 1) * n / 2; k++)
            least = fminf(least, from[(size_t)i * n + k] + from[(size_t)k * n + j]);
        if (least < d[(size_t)i * n + j])
            d[(size_t)i * n + j] = least; // BUG
    }
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = workspace(p);
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int length = 1; length < p->n; length *= 2) {
        cudaMemcpyAsync(p->workspace, p->d, bytes, cudaMemcpyDeviceToDevice, stream);
        try_half<<<dim3(p->n, 2), THREADS, 0, stream>>>(p->n, (const float *)p->workspace,
                                                        (float *)p->d);
    }
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"least_by_if", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
