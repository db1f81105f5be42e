// run: step09
// The host divides the rows by halves: the upper one first, then what the lower one adds to it,
// then the lower one. All in B's own place, and ordered by the stream alone.
#include "families/trmm.h"

enum { LEAF = 8 };

static __global__ void leaf(const struct lab_trmm p, int first, int count)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; j < p.m && i < first + count; i++) {
        double sum = p.b[(size_t)i * p.m + j];
        for (int k = i; k < first + count; k++)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j];
        p.b[(size_t)i * p.m + j] = sum;
    }
}

static __global__ void add(const struct lab_trmm p, int first, int middle, int end)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first + (int)blockIdx.y; j < p.m && i < middle; i += (int)gridDim.y) {
        double sum = 0.0;
        for (int k = middle; k < end; k++)
            sum += p.a[(size_t)i * p.n + k] * p.b[(size_t)k * p.m + j];
        p.b[(size_t)i * p.m + j] += sum;
    }
}

static void multiply(const struct lab_trmm *p, int first, int count, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((p->m - 1) / 64 + 1);
    if (count <= LEAF) {
        leaf<<<blocks, 64, 0, stream>>>(*p, first, count);
        return;
    }
    const int half = count / 2;
    multiply(p, first, half, stream);
    add<<<dim3(blocks, half < 64 ? half : 64), 64, 0, stream>>>(*p, first, first + half,
                                                                first + count);
    multiply(p, first + half, count - half, stream);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    multiply(p, 0, p->n, stream);
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"by_halves", launch});
