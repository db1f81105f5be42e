// expect: race
// run: step09 -n 65
// says: pinned memory and changes them afterwards
// no line: the host is at fault
// The rows of a launch stand in pinned memory, which is copied to the device and then filled anew
// for the next launch, before the copy needs to have been made.
// compiled alone: it has code that runs when it is loaded
#include "families/trmm.h"

struct bounds {
    int first, last;
};

static struct bounds *pinned; // pinned, once

__attribute__((constructor)) static void begin()
{
    cudaMallocHost((void **)&pinned, sizeof *pinned);
}

static __global__ void trmm(const struct lab_trmm p, const struct bounds *rows)
{
    const int col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int row = rows->first; col < p.m && row < rows->last; ++row) {
        double sum = p.b[(size_t)row * p.m + col];
        for (int k = row; k < p.n; ++k)
            sum += p.a[(size_t)row * p.n + k] * p.b[(size_t)k * p.m + col];
        p.b[(size_t)row * p.m + col] = sum;
    }
}

static size_t workspace(const struct lab_trmm *)
{
    return sizeof(struct bounds);
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    for (int first = 0; first < p->n; first += 32) {
        pinned->first = first;
        pinned->last = first + 32 < p->n ? first + 32 : p->n;
        cudaMemcpyAsync(p->workspace, pinned, sizeof *pinned, cudaMemcpyHostToDevice, stream);
        trmm<<<(p->m - 1) / 64 + 1, 64, 0, stream>>>(*p, (const struct bounds *)p->workspace);
    }
    return cudaGetLastError();
}

LAB_EXPORT(trmm, {"pinned_bounds", launch, workspace});
