// run: step10
// Warps of a block draw their columns from a counter of their own in scratch memory. It is clear
// already when a thread clears it, and is cleared again for the next row, behind a barrier.
#include "families/syr2k.h"

static __global__ void syr2k(const struct lab_syr2k p, int length, unsigned *counters)
{
    unsigned *const drawn = &counters[blockIdx.x];
    for (int k = (int)blockIdx.x; k < p.n; k += (int)gridDim.x) {
        if (threadIdx.x == 0)
            *drawn = 0;
        __syncthreads();
        for (;;) {
            unsigned l = 0;
            if (threadIdx.x % 32 == 0)
                l = (unsigned)k + atomicAdd(drawn, 1u);
            l = __shfl_sync(0xFFFFFFFF, l, 0);
            if (l >= (unsigned)p.n)
                break;
            double sum = 0.0;
            for (int i = (int)threadIdx.x % 32; i < length; i += 32)
                sum += p.a[(size_t)l * length + i] * p.b[(size_t)k * length + i] +
                       p.a[(size_t)k * length + i] * p.b[(size_t)l * length + i];
            for (int step = 16; step > 0; step /= 2)
                sum += __shfl_xor_sync(0xFFFFFFFF, sum, step);
            if (threadIdx.x % 32 == 0)
                p.c[(size_t)k * p.n + l] = 0.5 * sum;
        }
        __syncthreads();
    }
}

static size_t workspace(const struct lab_syr2k *)
{
    return 8 * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, 8 * sizeof(unsigned), stream);
    syr2k<<<8, 96, 0, stream>>>(*p, p->p * p->q, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"counter_of_the_block", launch, workspace});
