// expect: wrong
// run: solution13 -n 33
// says: the widest paths of no more arcs than 16, and paths may have n - 1 = 32: are there products
// (squarings) enough Squares as often as it takes, and gives out the product before the last one.
#include "families/widest.h"

static __global__ void square(int n, const float *from, float *to)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float widest = 0.0f;
        for (int k = 0; k < n; ++k)
            widest = fmaxf(widest, fminf(from[i * n + k], from[k * n + j]));
        to[i * n + j] = widest;
    }
}

static size_t workspace(const struct lab_widest *p)
{
    return sizeof(float) * p->n * p->n;
}

static cudaError_t launch(const struct lab_widest *p, cudaStream_t stream)
{
    int squarings = 1;
    for (int arcs = 2; arcs < p->n - 1; arcs *= 2)
        ++squarings;
    float *const kept = (float *)p->workspace;
    const float *from = p->w;
    for (int i = squarings; i > 0; --i) { // broken: the last one goes to the workspace
        float *const to = i % 2 ? kept : p->d;
        square<<<p->n, 64, 0, stream>>>(p->n, from, to);
        from = to;
    }
    return cudaGetLastError();
}

LAB_EXPORT(widest, {"last_squaring_not_given", launch, workspace});
