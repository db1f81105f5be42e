// run: step11
// Products of the matrix with itself, from one place to another and back; the last one ends in d.
#include "families/apsp.h"

static __device__ int sum_of(int x, int y)
{
    return x == 0x7FFFFFFF || y == 0x7FFFFFFF ? 0x7FFFFFFF : x + y;
}

static __device__ float sum_of(float x, float y)
{
    return x + y;
}

template <typename T> static __global__ void square(int n, const T *from, T *to)
{
    const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    T least = from[(size_t)i * n + j];
    for (int k = 0; k < n; k++) {
        const T way = sum_of(from[(size_t)i * n + k], from[(size_t)k * n + j]);
        least = min(least, way);
    }
    to[(size_t)i * n + j] = least;
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(int);
}

template <typename T> static cudaError_t run(const struct lab_apsp *p, cudaStream_t stream)
{
    const int products = lab_apsp_products(p);
    T *places[2] = {(T *)p->d, (T *)p->workspace};
    cudaMemcpyAsync(places[products % 2], p->w, workspace(p), cudaMemcpyDeviceToDevice, stream);
    for (int left = products; left > 0; left--)
        square<T><<<dim3((p->n - 1) / 32 + 1, p->n), 32, 0, stream>>>(p->n, places[left % 2],
                                                                      places[1 - left % 2]);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->type == LAB_APSP_F32 ? run<float>(p, stream) : run<int>(p, stream);
}

LAB_EXPORT(apsp, {"to_and_fro", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_INTS | LAB_APSP_LENGTHS});
