// expect: wrong
// run: step08 -m 20 -n 900 -k 3
// says: in the next: a deterministic variant sums in one order
// The warps of a block draw targets from a counter in shared memory, and each keeps the sum of
// those that it got.
#include "families/kernel_summation.h"

enum { WARPS = 4, EACH = 8 };

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    __shared__ int next;
    __shared__ float parts[WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x;
    float sum = 0.0f;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    for (;;) {
        int first = 0;
        if (lane == 0)
            first = atomicAdd(&next, EACH);
        first = __shfl_sync(~0u, first, 0);
        if (first >= p.n)
            break;
        for (int j = first; j < first + EACH && j < p.n; ++j) {
            float distance = 0.0f;
            for (int d = 0; d < p.k; ++d) {
                const float apart = p.a[i * p.k + d] - p.b[j * p.k + d];
                distance += apart * apart;
            }
            sum += expf(factor * distance) * p.w[j];
        }
    }
    if (lane == 0)
        parts[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        p.v[i] = parts[0] + parts[1] + parts[2] + parts[3];
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<p->m, WARPS * 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"targets_drawn_by_warps", launch, NULL, LAB_REPEATABLE});
