// expect: race
// on a GPU: wrong
// run: step11 -n 37
// says: changed after the launch
// no line: the host is at fault
// Distances are relaxed until none of them changes, which the kernel says in managed memory. The
// host looks as soon as the kernel is enqueued, when it may not have begun.
#include "families/apsp.h"

__managed__ int changed;

static __global__ void relax(int n, const float *w, float *d)
{
    const int j = (int)threadIdx.x, i = (int)blockIdx.x;
    const float old = d[i * n + j];
    float best = old;
    for (int k = 0; k < n; ++k)
        best = fminf(best, w[i * n + k] + w[k * n + j]);
    if (best < old) {
        d[i * n + j] = best;
        atomicExch(&changed, 1);
    }
}

static size_t workspace(const struct lab_apsp *p)
{
    return sizeof(float) * p->n * p->n;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = sizeof(float) * p->n * p->n;
    cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    int turns = 0;
    do {
        changed = 0;
        cudaMemcpyAsync(p->workspace, p->d, bytes, cudaMemcpyDeviceToDevice, stream);
        relax<<<p->n, p->n, 0, stream>>>(p->n, (const float *)p->workspace, (float *)p->d);
    } while (changed && ++turns < p->n);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"managed_flag_read", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
