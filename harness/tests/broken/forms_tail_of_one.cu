// expect: wrong
// run: step12 -m 5 -n 6 -k 7 --trans nt
// Four k at a time, and what is left of k one by one: for A B, and forgotten for A B'.
#include "families/gemm.h"

template <bool B_ALONG_K>
static __global__ void gemm(int m, int n, int k, float alpha, const float *a, long long row_a,
                            const float *b, long long row_b, float beta, float *c, long long row_c)
{
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    const long long step = B_ALONG_K ? 1 : row_b;
    const float *from_a = a + row * row_a, *from_b = b + (B_ALONG_K ? column * row_b : column);
    float sum = 0.0f;
    int i = 0;
    for (; i + 4 <= k; i += 4)
        for (int j = i; j < i + 4; j++)
            sum += from_a[j] * from_b[j * step];
    if (!B_ALONG_K)
        for (; i < k; i++)
            sum += from_a[i] * from_b[i * step];
    float *there = &c[row * row_c + column];
    *there = beta == 0.0f ? alpha * sum : alpha * sum + beta * *there;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const auto kernel = p->b_is_transposed ? gemm<true> : gemm<false>;
    kernel<<<dim3((p->n - 1) / 16 + 1, (p->m - 1) / 16 + 1), dim3(16, 16), 0, stream>>>(
        p->m, p->n, p->k, p->alpha, p->a, p->row_a, p->b, p->row_b, p->beta, p->c, p->row_c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"forms_tail_of_one", launch, NULL, LAB_GEMM_NN | LAB_GEMM_NT});
