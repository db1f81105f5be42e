// expect: ok
// Launched by cudaLaunchKernel with an array of arguments, in the C of the manual's examples.
#include "families/gemm.h"

#define THREADS       256
#define CEIL(x, y)    (((x) + (y)-1) / (y))
#define IDX(i, j, ld) ((size_t)(i) * (ld) + (j))
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return error_;                                                                         \
    } while (0)

extern "C" __global__ void __launch_bounds__(THREADS, 4)
    gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c)
{
    unsigned long long element = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
    int i;
    float sum = 0.;
    if (element >= (unsigned long long)m * n)
        goto end;
    i = 0;
again:
    if (i < k) {
        sum += a[IDX(i, element / n, m)] * b[IDX(i, element % n, n)];
        i++;
        goto again;
    }
    c[element] = beta ? alpha * sum + beta * c[element] : alpha * sum;
end:
    return;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    struct lab_gemm q = *p;
    void *arguments[] = {&q.m, &q.n, &q.k, &q.alpha, &q.a, &q.b, &q.beta, &q.c};
    dim3 grid(CEIL((size_t)p->m * p->n, THREADS), 1, 1);
    CHECK(cudaFuncSetAttribute((const void *)gemm, cudaFuncAttributePreferredSharedMemoryCarveout,
                               0));
    CHECK(cudaLaunchKernel((void *)gemm, grid, dim3(THREADS), arguments, 0, stream));
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
