// expect: race
// on a GPU: ok
// run: step11 -n 65
// says: the other block has stored another value there before
// Rounds stop when nothing has changed. The first block clears the flag and sets it again where it
// has found something shorter; if it clears late, it takes away what others have set.
#include "families/apsp.h"

static __global__ void round_of(int n, const float *w, const float *from, float *to,
                                const int *before, int *changed)
{
    const int i = blockIdx.x;
    int is_shorter = 0;
    if (i == 0 && threadIdx.x == 0)
        *changed = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        const float old = from[(size_t)i * n + j];
        float least = old;
        if (*before)
            for (int k = 0; k < n; k++)
                least = fminf(least, from[(size_t)i * n + k] + w[(size_t)k * n + j]);
        to[(size_t)i * n + j] = least;
        is_shorter |= least < old;
    }
    if (__syncthreads_or(is_shorter) && threadIdx.x == 0)
        *changed = 1; // BUG
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float) + ((size_t)p->n + 1) * sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->n * p->n;
    float *places[2] = {(float *)p->d, (float *)p->workspace};
    int *changed = (int *)(places[1] + count);
    cudaMemsetAsync(changed, 0, (p->n + 1) * sizeof(int), stream);
    cudaMemsetAsync(changed, 1, 1, stream); // 1, or another number than 0
    cudaMemcpyAsync(places[p->n % 2], p->w, count * sizeof(float), cudaMemcpyDeviceToDevice,
                    stream);
    for (int left = p->n; left > 0; left--, changed++)
        round_of<<<p->n, 64, 0, stream>>>(p->n, (const float *)p->w, places[left % 2],
                                          places[1 - left % 2], changed, changed + 1);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"first_clears", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
