// expect: ok
// One thread an element, nothing shared; a vertex at a time, as Floyd and Warshall have it.
#include "families/widest.h"

static __global__ void begin(size_t count, const float *w, float *d)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element < count)
        d[element] = w[element];
}

static __global__ void through(int n, int vertex, float *d)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)n * n)
        return;
    const size_t row = element / n, col = element % n;
    if (row != vertex && col != vertex) // theirs do not change
        d[element] = fmaxf(d[element], fminf(d[row * n + vertex], d[vertex * (size_t)n + col]));
}

static cudaError_t launch(const struct lab_widest *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->n * p->n;
    const unsigned blocks = (unsigned)((count - 1) / 256 + 1);
    begin<<<blocks, 256, 0, stream>>>(count, p->w, p->d);
    for (int vertex = 0; vertex < p->n; ++vertex)
        through<<<blocks, 256, 0, stream>>>(p->n, vertex, p->d);
    return cudaGetLastError();
}

LAB_EXPORT(widest, {"naive", launch});
