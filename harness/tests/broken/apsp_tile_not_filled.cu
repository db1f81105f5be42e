// expect: uninitialized
// on a GPU: ok
// run: step11 -n 35
// What is beyond the last vertex is not set to infinity, and takes part in the minimum.
#include "families/apsp.h"

#include <math.h>

static __global__ void square(int n, const float *from, float *to)
{
    __shared__ float left[16][16], right[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    float least = INFINITY;
    for (int first = 0; first < n; first += 16) {
        if (i < n && first + x < n)
            left[y][x] = from[i * n + first + x];
        if (first + y < n && j < n)
            right[y][x] = from[(first + y) * n + j];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            least = fminf(least, left[y][k] + right[k][x]); // BUG
        __syncthreads();
    }
    if (i < n && j < n)
        to[i * n + j] = least;
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const int products = lab_apsp_products(p), tiles = (p->n - 1) / 16 + 1;
    float *places[2] = {(float *)p->d, (float *)p->workspace};
    cudaMemcpyAsync(places[products % 2], p->w, workspace(p), cudaMemcpyDeviceToDevice, stream);
    for (int left = products; left > 0; left--)
        square<<<dim3(tiles, tiles), dim3(16, 16), 0, stream>>>(p->n, places[left % 2],
                                                                places[1 - left % 2]);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"tile_not_filled", launch, workspace,
                  LAB_APSP_SQUARES | LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
