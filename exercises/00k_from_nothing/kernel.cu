// Exercise 00k: to[i] = from[i], from nothing: write the kernel and its launch. p->n, p->from and
// p->to are the problem's; p->from and p->to are on the device.
#include "families/copy.h"

// TODO: a kernel with a thread for each element
static __global__ void nothing()
{
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    // TODO: launch it on `stream`, with blocks enough for p->n elements
    (void)p;
    nothing<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"from_nothing", launch});
