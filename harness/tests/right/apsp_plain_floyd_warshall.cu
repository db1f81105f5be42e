// run: step11
// warns: harmless only because the value written is the one that is there
// The textbook's: every thread stores, those of row and column k what is there already.
#include "families/apsp.h"

#include <math.h>

template <typename T> static __device__ T sum_of(T x, T y, T none)
{
    return x == none || y == none ? none : x + y;
}

template <typename T> static __global__ void through(int n, int k, T none, T *d)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y + gridDim.y * blockIdx.z;
    if (i >= n || j >= n)
        return;
    const T way = sum_of(d[(size_t)i * n + k], d[(size_t)k * n + j], none);
    const T old = d[(size_t)i * n + j];
    d[(size_t)i * n + j] = way < old ? way : old;
}

template <typename T> static cudaError_t run(const struct lab_apsp *p, T none, cudaStream_t stream)
{
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(T), cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n; k++)
        through<T><<<dim3((p->n - 1) / 64 + 1, p->n), 64, 0, stream>>>(p->n, k, none, (T *)p->d);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->type == LAB_APSP_F32 ? run<float>(p, INFINITY, stream)
                                   : run<int>(p, 0x7FFFFFFF, stream);
}

LAB_EXPORT(apsp, {"plain", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_INTS | LAB_APSP_LENGTHS});
