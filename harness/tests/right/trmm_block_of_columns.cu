// run: step09
// A block owns some columns of B and goes down the rows. Threads share a sum by shuffles of doubles
// in two ints; the element is replaced behind a barrier, when nobody needs the old one any more.
#include "families/trmm.h"

enum { COLUMNS = 4 };

static __device__ double from_lane(double value, int distance)
{
    const int low = __shfl_xor_sync(0xFFFFFFFF, __double2loint(value), distance);
    const int high = __shfl_xor_sync(0xFFFFFFFF, __double2hiint(value), distance);
    return __hiloint2double(high, low);
}

static __global__ void trmm(const struct lab_trmm p)
{
    const int lane = threadIdx.x, j = blockIdx.x * COLUMNS + threadIdx.y;
    for (int i = 0; i < p.n; i++) {
        double sum = 0.0;
        if (j < p.m)
            for (int k = i + lane; k < p.n; k += 32)
                sum = fma(p.a[(size_t)i * p.n + k], p.b[(size_t)k * p.m + j], sum);
        for (int distance = 16; distance > 0; distance /= 2)
            sum += from_lane(sum, distance);
        __syncthreads();
        if (lane == 0 && j < p.m)
            p.b[(size_t)i * p.m + j] += sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<(p->m - 1) / COLUMNS + 1, dim3(32, COLUMNS), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"columns", launch});
