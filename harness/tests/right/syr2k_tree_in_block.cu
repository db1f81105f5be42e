// run: step10
// A block for each pair of rows; its threads' sums meet in a tree. Blocks below the diagonal leave.
#include "families/syr2k.h"

enum { THREADS = 128 };

static __global__ void syr2k(const struct lab_syr2k p)
{
    __shared__ double sums[THREADS];
    const int k = blockIdx.y, l = blockIdx.x, each = p.p * p.q, t = threadIdx.x;
    if (l < k)
        return;
    const double *const a_k = p.a + (size_t)k * each, *const a_l = p.a + (size_t)l * each;
    const double *const b_k = p.b + (size_t)k * each, *const b_l = p.b + (size_t)l * each;
    double sum = 0.0;
    for (int i = t; i < each; i += THREADS)
        sum += a_l[i] * b_k[i] + a_k[i] * b_l[i];
    sums[t] = sum;
    for (int distance = THREADS / 2; distance >= 32; distance /= 2) {
        __syncthreads();
        if (t < distance)
            sums[t] += sums[t + distance];
    }
    __syncwarp();
    if (t < 32) {
        sum = sums[t];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
        if (t == 0)
            p.c[(size_t)k * p.n + l] = 0.5 * sum;
    }
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    syr2k<<<dim3(p->n, p->n), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"tree", launch});
