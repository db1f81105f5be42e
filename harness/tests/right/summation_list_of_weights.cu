// run: step08
// Targets of weight 0 are left out: a block makes a list of the others in shared memory, whose
// places are given out by ballots. What is behind the end of the list is never filled.
#include "families/kernel_summation.h"

enum { THREADS = 64, LIST = 96 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    __shared__ int list[LIST], length;
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int first = 0; first < p.n; first += LIST) {
        if (threadIdx.x == 0)
            length = 0;
        __syncthreads();
        for (int at = threadIdx.x; at < LIST; at += THREADS) {
            const bool counts = first + at < p.n && p.w[first + at] != 0.0f;
            const unsigned active = __activemask();
            const unsigned votes = __ballot_sync(active, counts);
            const int leader = __ffs(active) - 1;
            int base;
            if (lane == leader)
                base = atomicAdd(&length, __popc(votes));
            base = __shfl_sync(active, base, leader);
            if (counts)
                list[base + __popc(votes & ((1u << lane) - 1))] = first + at;
        }
        __syncthreads();
        for (int e = 0; i < p.m && e < length; e++) {
            const int j = list[e];
            float distance = 0.0f;
            for (int d = 0; d < p.k; d++) {
                const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
                distance += apart * apart;
            }
            sum += expf(factor * distance) * p.w[j];
        }
        __syncthreads();
    }
    if (i < p.m)
        p.v[i] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<(p->m - 1) / THREADS + 1, THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"list", launch});
