// run: step10
// All of B A' goes to scratch memory, and a second kernel adds the transposed of it, which it reads
// through the read-only cache: it was written by the launch before.
#include "families/syr2k.h"

static __global__ void product(const struct lab_syr2k p, double *all)
{
    const int k = blockIdx.y, each = p.p * p.q;
    const int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= p.n)
        return;
    double sum = 0.0;
    for (int i = 0; i < each; i++)
        sum += p.b[(size_t)k * each + i] * p.a[(size_t)l * each + i];
    all[(size_t)k * p.n + l] = sum;
}

static __global__ void add(int n, const double *__restrict__ all, double *__restrict__ c)
{
    __shared__ double tile[16][17];
    const int first = blockIdx.y * 16, other = blockIdx.x * 16, x = threadIdx.x, y = threadIdx.y;
    if (blockIdx.x < blockIdx.y)
        return;
    if (other + y < n && first + x < n)
        tile[y][x] = __ldg(&all[(size_t)(other + y) * n + first + x]);
    __syncthreads();
    const int k = first + y, l = other + x;
    if (l < n && k <= l)
        c[(size_t)k * n + l] = 0.5 * (all[(size_t)k * n + l] + tile[x][y]);
}

static size_t workspace(const struct lab_syr2k *p)
{
    return (size_t)p->n * p->n * sizeof(double);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const unsigned tiles = (unsigned)((p->n - 1) / 16 + 1);
    product<<<dim3((p->n - 1) / 64 + 1, p->n), 64, 0, stream>>>(*p, (double *)p->workspace);
    add<<<dim3(tiles, tiles), dim3(16, 16), 0, stream>>>(p->n, (const double *)p->workspace, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"transposed", launch, workspace});
