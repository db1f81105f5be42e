// expect: ok
// One thread a source, nothing shared.
#include "families/cauchy.h"

#include <float.h>

static __global__ void summation(int m, int n, int k, float factor, const float *a, const float *b,
                                 const float *w, float *v)
{
    const int source = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (source >= m)
        return;
    float sum = 0.0f;
    for (int j = 0; j < n; ++j) {
        float distance = 0.0f;
        for (int i = 0; i < k; ++i) {
            const float apart = a[(size_t)source * k + i] - b[(size_t)j * k + i];
            distance += apart * apart;
        }
        sum += w[j] / (1.0f + factor * distance);
    }
    v[source] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const double factor = 0.5 / ((double)p->h * p->h);
    summation<<<(p->m - 1) / 128 + 1, 128, 0, stream>>>(
        p->m, p->n, p->k, factor > FLT_MAX ? FLT_MAX : (float)factor, p->a, p->b, p->w, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(cauchy, {"naive", launch});
