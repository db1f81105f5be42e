// expect: wrong
// run: step11 -n 41 --generate chain --degree 2
// says not: overflow
// As many rounds as there are whole tiles: the last vertex is on no path.
#include "families/apsp.h"

enum { TILE = 8 };

// One block, one tile of d, for all k of the tile on the diagonal.
static __device__ void relax(int n, int i, int j, int first, float *d)
{
    for (int k = first; k < first + TILE && k < n; k++) {
        if (i < n && j < n && i != k && j != k)
            d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
        __syncthreads();
    }
}

static __global__ void diagonal(int n, int first, float *d)
{
    relax(n, first + threadIdx.y, first + threadIdx.x, first, d);
}

static __global__ void panels(int n, int first, float *d)
{
    const int other = blockIdx.x * TILE;
    if (other == first)
        return;
    if (blockIdx.y == 0)
        relax(n, first + threadIdx.y, other + threadIdx.x, first, d);
    else
        relax(n, other + threadIdx.y, first + threadIdx.x, first, d);
}

static __global__ void rest(int n, int first, float *d)
{
    if (blockIdx.x * TILE != first && blockIdx.y * TILE != first)
        relax(n, blockIdx.y * TILE + threadIdx.y, blockIdx.x * TILE + threadIdx.x, first, d);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const int n = p->n, tiles = (n - 1) / TILE + 1;
    float *const d = (float *)p->d;
    cudaMemcpyAsync(d, p->w, (size_t)n * n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    for (int first = 0; first < n / TILE * TILE; first += TILE) {
        diagonal<<<1, dim3(TILE, TILE), 0, stream>>>(n, first, d);
        panels<<<dim3(tiles, 2), dim3(TILE, TILE), 0, stream>>>(n, first, d);
        rest<<<dim3(tiles, tiles), dim3(TILE, TILE), 0, stream>>>(n, first, d);
    }
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"tiles_rounded_down", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
