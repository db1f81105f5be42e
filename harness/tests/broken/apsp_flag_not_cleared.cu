// expect: uninitialized
// on a GPU: ok
// run: step11 -n 33
// says: workspace
// Rounds stop when nothing has changed, which a word of scratch memory tells that nobody clears.
#include "families/apsp.h"

static __global__ void round_of(int n, const float *w, const float *from, float *to, int *changed)
{
    const int i = blockIdx.x, j = threadIdx.x;
    float least = from[i * n + j];
    if (changed[0] != 0) // BUG
        for (int k = 0; k < n; k++)
            least = fminf(least, from[i * n + k] + w[k * n + j]);
    to[i * n + j] = least;
    if (least < from[i * n + j])
        changed[1] = 1;
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float) + (p->n + 2) * sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    float *places[2] = {(float *)p->d, (float *)p->workspace};
    int *changed = (int *)(places[1] + p->n * p->n);
    cudaMemcpyAsync(places[p->n % 2], p->w, (size_t)p->n * p->n * sizeof(float),
                    cudaMemcpyDeviceToDevice, stream);
    for (int left = p->n; left > 0; left--, changed++)
        round_of<<<p->n, p->n, 0, stream>>>(p->n, (const float *)p->w, places[left % 2],
                                            places[1 - left % 2], changed);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"flag_not_cleared", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
