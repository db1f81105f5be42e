// expect: forbidden
// run: step11 -n 33
// says: copies to the host
// Each round's flag is copied to pinned memory, and the rounds stop when it is 0 there. But the
// host is ahead of the device, and finds what was there before.
// compiled alone: it has code that runs when it is loaded
#include "families/apsp.h"

static volatile int *seen; // pinned, once

__attribute__((constructor)) static void begin()
{
    cudaMallocHost((void **)&seen, sizeof(int));
}

static __global__ void round_of(int n, const float *w, float *d, int *changed)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float least = d[(size_t)i * n + j];
        for (int k = 0; k < n; k++)
            least = fminf(least, d[(size_t)i * n + k] + w[(size_t)k * n + j]);
        __syncthreads();
        if (least < d[(size_t)i * n + j])
            *changed = 1;
        d[(size_t)i * n + j] = least;
    }
}

static size_t workspace(const struct lab_apsp *)
{
    return sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    *seen = 1;
    for (int left = p->n; left > 0 && *seen; left--) {
        cudaMemsetAsync(p->workspace, 0, sizeof(int), stream);
        round_of<<<p->n, 64, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d,
                                          (int *)p->workspace);
        cudaMemcpyAsync((void *)seen, p->workspace, sizeof(int), cudaMemcpyDeviceToHost, stream);
    }
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"looks", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
