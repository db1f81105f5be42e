// expect: wrong
// run: step11 -n 33 --degree 6
// says: a shorter path was not found
// says not: __syncthreads
// Floyd-Warshall that never goes through the last vertex.
#include "families/apsp.h"

static __global__ void through(int n, int k, float *d)
{
    const int i = blockIdx.x, j = threadIdx.x;
    const float way = d[i * n + k] + d[k * n + j];
    if (i != k && j != k && way < d[i * n + j])
        d[i * n + j] = way;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float),
                                         cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n - 1 && status == cudaSuccess; k++) {
        through<<<p->n, p->n, 0, stream>>>(p->n, k, (float *)p->d);
        status = cudaGetLastError();
    }
    return status;
}

LAB_EXPORT(apsp, {"last_vertex", launch, NULL});
