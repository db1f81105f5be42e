// expect: race
// run: step11 -n 40
// says: set the counter back first
// A barrier of the grid lets the blocks go on before it sets its counter back.
#include "families/apsp.h"

enum { BLOCKS = 4, THREADS = 64 };

static __device__ void meet(unsigned *count, volatile unsigned *sense, unsigned round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(count, 1) == BLOCKS - 1) { // BUG
            *sense = round;
            __threadfence();
            *(volatile unsigned *)count = 0;
        } else {
            while (*sense != round)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

static __global__ void through_all(int n, volatile float *d, unsigned *count, unsigned *sense)
{
    for (int k = 0; k < n; k++) {
        for (int i = blockIdx.x; i < n; i += BLOCKS) {
            const float to_k = d[(size_t)i * n + k];
            for (int j = threadIdx.x; j < n; j += THREADS) {
                const float sum = to_k + d[(size_t)k * n + j];
                if (sum < d[(size_t)i * n + j])
                    d[(size_t)i * n + j] = sum;
            }
        }
        meet(count, sense, k + 1);
    }
}

static size_t workspace(const struct lab_apsp *)
{
    return 2 * sizeof(unsigned);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    unsigned *const count = (unsigned *)p->workspace;
    cudaMemsetAsync(count, 0, 2 * sizeof(unsigned), stream);
    cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    through_all<<<BLOCKS, THREADS, 0, stream>>>(p->n, (float *)p->d, count, count + 1);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"turned_before_reset", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
