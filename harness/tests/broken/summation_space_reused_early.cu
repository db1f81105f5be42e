// expect: race
// run: step08 -m 129 -n 65 -k 9
// The warps' sums take the place of the targets while slower warps still read these.
#include "families/kernel_summation.h"

enum { SOURCES = 32, WARPS = 4, THREADS = SOURCES * WARPS, TARGETS = 16, MOST_K = 16 };

static __device__ float gaussian(const struct lab_kernel_summation &p, int i, const float *target)
{
    float distance = 0.0f;
    for (int l = 0; l < p.k; l++) {
        float d = p.a[(size_t)i * p.k + l] - target[l];
        distance += d * d;
    }
    return expf(-0.5f * distance / (p.h * p.h));
}

static __global__ void sum(struct lab_kernel_summation p)
{
    __shared__ float space[TARGETS * MOST_K]; // of a tile of targets, then of the sums
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int i = blockIdx.x * SOURCES + lane;
    float total = 0.0f;
    for (int first = 0; first < p.n; first += TARGETS) {
        const int count = p.n - first < TARGETS ? p.n - first : TARGETS;
        __syncthreads(); // the tile before was read
        for (int at = threadIdx.x; at < count * p.k; at += THREADS)
            space[at] = p.b[(size_t)first * p.k + at];
        __syncthreads();
        for (int j = warp; i < p.m && j < count; j += WARPS)
            total += gaussian(p, i, &space[j * p.k]) * p.w[first + j];
    }
    space[warp * SOURCES + lane] = total; // BUG
    __syncthreads();
    if (warp == 0 && i < p.m)
        p.v[i] = space[lane] + space[32 + lane] + space[64 + lane] + space[96 + lane];
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<(p->m - 1) / SOURCES + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"space_reused_early", launch, NULL});
