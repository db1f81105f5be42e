// expect: wrong
// run: step08 -m 33 -n 200 -k 3 --deterministic
// says: in any order
// Says that it can do without atomic additions, and adds up with them whatever it is asked for.
#include "families/kernel_summation.h"

static __global__ void add(struct lab_kernel_summation p, float factor)
{
    const int i = blockIdx.x, j = blockIdx.y * blockDim.x + threadIdx.x;
    if (j >= p.n)
        return;
    float distance = 0.0f;
    for (int l = 0; l < p.k; l++) {
        const float d = p.a[(size_t)i * p.k + l] - p.b[(size_t)j * p.k + l];
        distance += d * d;
    }
    atomicAdd(&p.v[i], expf(distance * factor) * p.w[j]); // BUG
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    const dim3 grid(p->m, (p->n - 1) / 32 + 1);
    cudaMemsetAsync(p->v, 0, p->m * sizeof(float), stream);
    add<<<grid, 32, 0, stream>>>(*p, lab_exponent_factor(p->h));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"sums_of_many", launch, NULL, LAB_ADDS_ATOMICALLY});
