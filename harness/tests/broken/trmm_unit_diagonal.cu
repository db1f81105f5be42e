// expect: wrong
// run: step09 -n 17 -m 5
// says: as if the product with the diagonal of A were left out
// says not: alpha
// The sum begins behind the diagonal, which is taken for 1 as the old element is added: the last
// row's only product is lost as are all on the diagonal.
#include "families/trmm.h"

static __global__ void trmm(const struct lab_trmm p)
{
    const int j = threadIdx.x;
    for (int i = 0; i < p.n; i++) {
        double sum = p.b[i * p.m + j];
        for (int k = i + 1; k < p.n; k++)
            sum += p.a[i * p.n + k] * p.b[k * p.m + j];
        p.b[i * p.m + j] = sum;
    }
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    trmm<<<1, p->m, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"unit_diagonal", launch});
