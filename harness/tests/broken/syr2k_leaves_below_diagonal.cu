// expect: uninitialized
// on a GPU: wrong
// run: step10 -n 33 -p 3 -q 5
// says: early `return` before a barrier
// Threads of a tile that are below the diagonal leave, but should have loaded.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p)
{
    __shared__ double a_k[16][17], b_l[16][17];
    const int x = threadIdx.x, y = threadIdx.y, k = blockIdx.y * 16 + y, l = blockIdx.x * 16 + x;
    const int each = p.p * p.q, row = blockIdx.x * 16 + y;
    if (l < k)
        return;
    double sum = 0.0;
    for (int first = 0; first < each; first += 16) {
        const bool in_sum = first + x < each;
        a_k[y][x] = k < p.n && in_sum ? p.a[k * each + first + x] : 0.0;
        b_l[y][x] = row < p.n && in_sum ? p.b[row * each + first + x] : 0.0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += a_k[y][i] * b_l[x][i]; // BUG
        __syncthreads();
    }
    if (l < p.n)
        p.c[k * p.n + l] = sum;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const unsigned tiles = (p->n - 1) / 16 + 1;
    syr2k<<<dim3(tiles, tiles), dim3(16, 16), 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"leaves_below_diagonal", launch});
