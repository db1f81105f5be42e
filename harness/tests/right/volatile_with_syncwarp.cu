// run: step01
// A warp an element: partial sums meet in volatile shared memory, with __syncwarp() at each step.
#include "families/gemm.h"

enum { WARPS = 4 };

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ volatile float parts[WARPS][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t element = (size_t)blockIdx.x * WARPS + warp;
    if (element >= (size_t)p.m * p.n)
        return;
    const size_t row = element / p.n, column = element % p.n;
    float sum = 0.0f;
    for (int i = lane; i < p.k; i += 32)
        sum += p.a[row * p.k + i] * p.b[(size_t)i * p.n + column];
    parts[warp][lane] = sum;
    __syncwarp();
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane < distance)
            parts[warp][lane] = parts[warp][lane] + parts[warp][lane + distance];
        __syncwarp();
    }
    if (lane == 0)
        p.c[element] = p.alpha * parts[warp][0] + (p.beta != 0.0f ? p.beta * p.c[element] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / WARPS + 1), WARPS * 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"volatile_sums", launch});
