// expect: race
// on a GPU: wrong
// run: step08 -m 33 -n 70 -k 5
// says: changes get lost: add with atomicAdd()
// The first threads of all warps add to one sum in shared memory by +=.
#include "families/kernel_summation.h"

static __global__ void sum(const struct lab_kernel_summation p)
{
    __shared__ float total;
    const int i = (int)blockIdx.x, j = (int)threadIdx.x;
    if (j == 0)
        total = 0.0f;
    __syncthreads();
    for (int of = j / 32; of < p.n && j % 32 == 0; of += (int)blockDim.x / 32) {
        float distance = 0.0f;
        for (int l = 0; l < p.k; ++l) {
            const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)of * p.k + l];
            distance += d * d;
        }
        total += expf(-0.5f * distance / (p.h * p.h)) * p.w[of]; // BUG
    }
    __syncthreads();
    if (j == 0)
        p.v[i] = total;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum<<<p->m, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"one_sum_for_all", launch});
