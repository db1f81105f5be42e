// run: step11
// A distance and the first vertex of its path in 64 bits, of which atomicMin() takes the least; row
// and column k do not change while others read them.
#include "families/apsp.h"

typedef unsigned long long packed;

static __device__ packed pack(int distance, int next)
{
    return (packed)((unsigned)distance ^ 0x80000000u) << 32 | (unsigned)(next + 1);
}

static __device__ int distance_of(packed both)
{
    return (int)((unsigned)(both >> 32) ^ 0x80000000u);
}

static __global__ void begin(const struct lab_apsp p)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < p.n; j += blockDim.x) {
        const int w = ((const int *)p.w)[(size_t)i * p.n + j];
        ((packed *)p.workspace)[(size_t)i * p.n + j] = pack(w, w == 0x7FFFFFFF ? -1 : j);
    }
}

static __global__ void through(int n, int k, packed *all)
{
    const int i = blockIdx.x;
    const packed first = all[(size_t)i * n + k];
    const int to_k = distance_of(first);
    if (to_k == 0x7FFFFFFF || i == k)
        return;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        const int on = distance_of(all[(size_t)k * n + j]);
        packed *const mine = &all[(size_t)i * n + j];
        if (on != 0x7FFFFFFF && to_k + on < distance_of(*mine))
            atomicMin(mine, pack(to_k + on, (int)(unsigned)first - 1));
    }
}

static __global__ void end(const struct lab_apsp p)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < p.n; j += blockDim.x) {
        const packed both = ((const packed *)p.workspace)[(size_t)i * p.n + j];
        ((int *)p.d)[(size_t)i * p.n + j] = distance_of(both);
        if (p.next)
            p.next[(size_t)i * p.n + j] = (int)(unsigned)both - 1;
    }
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(packed);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    begin<<<p->n, 64, 0, stream>>>(*p);
    for (int k = 0; k < p->n; k++)
        through<<<p->n, 64, 0, stream>>>(p->n, k, (packed *)p->workspace);
    end<<<p->n, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"packed", launch, workspace, LAB_APSP_INTS});
