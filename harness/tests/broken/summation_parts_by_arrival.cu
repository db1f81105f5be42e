// expect: wrong
// run: step08 -m 65 -n 700 -k 9
// says: in one launch and
// Blocks put their parts of a sum side by side in the order in which they finish, and the last one
// adds them in that order: other bits when other blocks are faster. The row promises the same.
#include "families/kernel_summation.h"

constexpr int PARTS = 16;

static __global__ void sum(const struct lab_kernel_summation p, float factor, float *parts,
                           unsigned *finished)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= p.m)
        return;
    float total = 0.0f;
    for (int j = (int)blockIdx.y; j < p.n; j += PARTS) {
        float distance = 0.0f;
        for (int i = 0; i < p.k; ++i) {
            const float apart = p.a[(size_t)row * p.k + i] - p.b[(size_t)j * p.k + i];
            distance += apart * apart;
        }
        total += expf(factor * distance) * p.w[j];
    }
    const unsigned place = atomicAdd(&finished[2 * row], 1u);
    parts[row * PARTS + place] = total;
    __threadfence();
    if (atomicAdd(&finished[2 * row + 1], 1u) < PARTS - 1)
        return;
    __threadfence();
    total = 0.0f;
    for (int i = 0; i < PARTS; ++i)
        total += __ldcg(&parts[row * PARTS + i]);
    p.v[row] = total;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return (size_t)p->m * (PARTS + 2) * sizeof(float);
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    unsigned *const finished = (unsigned *)p->workspace;
    cudaMemsetAsync(finished, 0, (size_t)p->m * 2 * sizeof *finished, stream);
    sum<<<dim3((p->m - 1) / 64 + 1, PARTS), 64, 0, stream>>>(
        *p, lab_exponent_factor(p->h), (float *)(finished + 2 * p->m), finished);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"by_arrival", launch, workspace, LAB_REPEATABLE});
