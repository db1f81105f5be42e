// expect: wrong
// run: step11 -n 35
// says: no path is as short
// says not: exchanged
// What is past the matrix counts as an arc of length 0, which leads anywhere.
#include "families/apsp.h"

#include <math.h>

enum { T = 16 };

static __global__ void square(int n, const float *from, float *to)
{
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = (int)blockIdx.y * T + y, j = (int)blockIdx.x * T + x;
    float least = i == j ? 0.0f : INFINITY;
    for (int first = 0; first < n; first += T) {
        a[y][x] = i < n && first + x < n ? from[(size_t)i * n + first + x] : 0.0f;
        b[y][x] = j < n && first + y < n ? from[(size_t)(first + y) * n + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; k++)
            least = fminf(least, a[y][k] + b[k][x]);
        __syncthreads();
    }
    if (i < n && j < n)
        to[(size_t)i * n + j] = least;
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const dim3 grid((p->n - 1) / T + 1, (p->n - 1) / T + 1), block(T, T);
    float *places[2] = {(float *)p->d, (float *)p->workspace};
    const int products = lab_apsp_products(p);
    cudaMemcpyAsync(places[products % 2], p->w, workspace(p), cudaMemcpyDeviceToDevice, stream);
    for (int left = products; left > 0; left--) {
        square<<<grid, block, 0, stream>>>(p->n, places[left % 2], places[1 - left % 2]);
        const cudaError_t status = lab_apsp_tell(p, products - left + 1, products, stream);
        if (status != cudaSuccess)
            return status;
    }
    return cudaGetLastError();
}

LAB_EXPORT(apsp,
           {"padding", launch, workspace, LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
