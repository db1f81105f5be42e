// expect: wrong
// run: solution13 -n 70
// says: the widest paths of no more arcs than 64, and paths may have n - 1 = 69: are there products
// (squarings) enough says not: tile Squares once less than it takes: wrong at 15 elements, all
// behind the last whole tile.
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
    for (int arcs = 2; arcs * 2 < p->n - 1; arcs *= 2) // broken: arcs
        ++squarings;
    float *const kept = (float *)p->workspace;
    const float *from = p->w;
    for (int i = squarings; i > 0; --i) { // the last one goes to d
        float *const to = i % 2 ? p->d : kept;
        square<<<p->n, 64, 0, stream>>>(p->n, from, to);
        from = to;
    }
    return cudaGetLastError();
}

LAB_EXPORT(widest, {"squarings_of_64_arcs", launch, workspace});
