// run: step09
// A launch for each row; where columns pair up, two at a time in a double2, else one.
#include "families/trmm.h"

template <typename Values> static __device__ void add(Values &sum, double factor, Values value);

template <> __device__ void add(double &sum, double factor, double value)
{
    sum += factor * value;
}

template <> __device__ void add(double2 &sum, double factor, double2 value)
{
    sum.x += factor * value.x;
    sum.y += factor * value.y;
}

template <typename Values> static __global__ void row(const struct lab_trmm p, int i)
{
    const int width = sizeof(Values) / sizeof(double), columns = p.m / width;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    Values *const b = (Values *)p.b;
    if (j >= columns)
        return;
    Values sum = b[(size_t)i * columns + j];
    const double *a = p.a + (size_t)i * p.n + i;
    for (int k = i; k < p.n; k++)
        add(sum, *a++, b[(size_t)k * columns + j]);
    b[(size_t)i * columns + j] = sum;
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int i = 0; i < p->n; i++)
        if (p->m % 2 == 0)
            row<double2><<<(p->m / 2 - 1) / 64 + 1, 64, 0, stream>>>(*p, i);
        else
            row<double><<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, i);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"rows", launch});
