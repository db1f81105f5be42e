// run: step11
// Two distances in 32 bits, by the instructions for pairs; sums that are too large stop at 65535.
#include "families/apsp.h"

static __global__ void widen(int n, int columns, const unsigned short *w, unsigned short *wide)
{
    const int j = threadIdx.x + blockIdx.x * blockDim.x, i = blockIdx.y;
    if (j < columns)
        wide[(size_t)i * columns + j] = j < n ? w[(size_t)i * n + j] : (unsigned short)65535;
}

static __global__ void through(int columns, int k, unsigned short *wide)
{
    const int pair = threadIdx.x + blockIdx.x * blockDim.x, i = blockIdx.y;
    if (pair >= columns / 2)
        return;
    unsigned *const row = (unsigned *)(wide + (size_t)i * columns);
    const unsigned *const row_k = (const unsigned *)(wide + (size_t)k * columns);
    const unsigned first = wide[(size_t)i * columns + k];
    const unsigned way = __vaddus2(__byte_perm(first, first, 0x1010), row_k[pair]);
    const unsigned old = row[pair], least = __vminu2(old, way);
    if (least != old)
        row[pair] = least;
}

static __global__ void narrow(int n, int columns, const unsigned short *wide, unsigned short *d)
{
    const int j = threadIdx.x + blockIdx.x * blockDim.x, i = blockIdx.y;
    if (j < n)
        d[(size_t)i * n + j] = wide[(size_t)i * columns + j];
}

static int columns_of(const struct lab_apsp *p)
{
    return (p->n + 1) / 2 * 2;
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * columns_of(p) * sizeof(unsigned short);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const int columns = columns_of(p);
    unsigned short *wide = (unsigned short *)p->workspace;
    const dim3 grid((columns - 1) / 64 + 1, p->n);
    widen<<<grid, 64, 0, stream>>>(p->n, columns, (const unsigned short *)p->w, wide);
    for (int k = 0; k < p->n; k++)
        through<<<dim3((columns / 2 - 1) / 64 + 1, p->n), 64, 0, stream>>>(columns, k, wide);
    narrow<<<grid, 64, 0, stream>>>(p->n, columns, wide, (unsigned short *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"pairs", launch, workspace, LAB_APSP_SHORTS | LAB_APSP_LENGTHS});
