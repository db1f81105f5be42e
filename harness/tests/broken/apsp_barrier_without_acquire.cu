// expect: race
// on a GPU: ok
// run: step11 -n 45
// says: the reader goes by a flag or counter that is set at
// says not: between the write and the setting
// All vertices in one launch of a few blocks, which meet at a barrier of their own. A fence stands
// before they count, and none behind the wait.
#include "families/apsp.h"

enum { BLOCKS = 4, THREADS = 64 };

static __device__ void meet(unsigned *count, unsigned target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile unsigned *)count < target)
            __nanosleep(50);
    }
    __syncthreads();
}

static __global__ void through_all(int n, volatile float *d, unsigned *count)
{
    for (int k = 0; k < n; k++) {
        for (int i = blockIdx.x; i < n; i += BLOCKS) {
            const float to_k = d[(size_t)i * n + k];
            for (int j = threadIdx.x; j < n; j += THREADS) {
                const float sum = to_k + d[(size_t)k * n + j]; // BUG
                if (sum < d[(size_t)i * n + j])
                    d[(size_t)i * n + j] = sum;
            }
        }
        meet(count, (k + 1) * BLOCKS);
    }
}

static size_t workspace(const struct lab_apsp *)
{
    return sizeof(unsigned);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    through_all<<<BLOCKS, THREADS, 0, stream>>>(p->n, (float *)p->d, (unsigned *)p->workspace);
    return cudaGetLastError();
}

LAB_EXPORT(apsp,
           {"barrier_without_acquire", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
