// expect: race
// on a GPU: ok
// run: step08 -m 65 -n 700 -k 9
// says: a __syncthreads() belongs after it
// Four blocks share a row, and the last one adds up the parts of all. Every thread executes a fence
// behind its part, but thread 0 counts its block without waiting for the other warps.
#include "families/kernel_summation.h"

constexpr int THREADS = 128, SHARES = 4;

static __global__ void sum(const struct lab_kernel_summation p, float factor, float *parts,
                           unsigned *finished)
{
    __shared__ float part[THREADS];
    __shared__ bool is_last;
    const int row = (int)blockIdx.x, share = (int)blockIdx.y, t = (int)threadIdx.x;
    float *const own = parts + ((size_t)row * SHARES + share) * THREADS;
    float total = 0.0f;
    for (int j = share * THREADS + t; j < p.n; j += SHARES * THREADS) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    own[t] = total;
    __threadfence();
    if (t == 0)
        is_last = atomicAdd(&finished[row], 1u) == SHARES - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    total = 0.0f;
    for (int i = 0; i < SHARES; ++i)
        total += parts[((size_t)row * SHARES + i) * THREADS + t]; // BUG
    part[t] = total;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        p.v[row] = part[0];
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * (SHARES * THREADS * sizeof(float) + sizeof(unsigned));
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    unsigned *const finished = (unsigned *)p->workspace;
    float *const parts = (float *)(finished + p->m);
    cudaMemsetAsync(finished, 0, p->m * sizeof *finished, stream);
    sum<<<dim3((unsigned)p->m, SHARES), THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h), parts,
                                                              finished);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"counts_before_all", launch, workspace});
