// expect: timeout
// run: step11 -n 33
// says: no end in sight
// The step of the loop over vertices is a 64th of their number, which is 0 where they are few.
#include "families/apsp.h"

static __global__ void square(int n, const float *from, float *to)
{
    const int i = blockIdx.x, j = threadIdx.x;
    float least = from[i * n + j];
    for (int k = 0; k < n; k += n / 64)
        least = fminf(least, from[i * n + k] + from[k * n + j]); // BUG
    to[i * n + j] = least;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    square<<<p->n, p->n, 0, stream>>>(p->n, (const float *)p->w, (float *)p->d);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"step_of_zero", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
