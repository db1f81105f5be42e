// run: step11
// Whoever shortens a path sets a bit of a volatile number that others have read, or set, before:
// done twice it is as if once.
#include "families/apsp.h"

static __global__ void round_of(int n, const float *w, const float *from, float *to,
                                volatile int *changed)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        const float old = from[(size_t)i * n + j];
        float least = old;
        for (int k = 0; k < n; k++)
            least = fminf(least, from[(size_t)i * n + k] + w[(size_t)k * n + j]);
        to[(size_t)i * n + j] = least;
        if (least < old)
            *changed |= 1;
    }
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float) + sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->n * p->n;
    float *places[2] = {(float *)p->d, (float *)p->workspace};
    int *const changed = (int *)(places[1] + count);
    cudaMemsetAsync(changed, 0, sizeof(int), stream);
    cudaMemcpyAsync(places[p->n % 2], p->w, count * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int left = p->n; left > 0; left--)
        round_of<<<p->n, 64, 0, stream>>>(p->n, (const float *)p->w, places[left % 2],
                                          places[1 - left % 2], changed);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"changed_by_or", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
