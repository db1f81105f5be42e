// expect: race
// on a GPU: ok
// run: step11 -n 45
// says: does not reach another block
// Two blocks share a row of each product. The flag between them is released and acquired in the
// scope of a block, which reaches none of the other's threads.
#include "families/apsp.h"

static __device__ void say(int *flag)
{
    asm volatile("fence.acq_rel.cta;\n\tred.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(flag)
                 : "memory");
}

static __device__ void wait(const int *flag, int round)
{
    int value;
    do
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value != round);
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

static __global__ void square(int n, int round, const float *from, float *to, int *flags)
{
    const int i = blockIdx.x / 2, half = blockIdx.x % 2;
    float *const row = to + (size_t)i * n;
    if (half == 1) {
        if (threadIdx.x == 0)
            wait(&flags[i], round);
        __syncthreads();
    }
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float least = from[(size_t)i * n + j];
        for (int k = half; k < n; k += 2)
            least = fminf(least, from[(size_t)i * n + k] + from[(size_t)k * n + j]);
        row[j] = half == 0 ? least : fminf(least, row[j]); // BUG
    }
    __syncthreads();
    if (half == 0 && threadIdx.x == 0)
        say(&flags[i]);
}

static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * sizeof(float) + (size_t)p->n * sizeof(int);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->n * p->n;
    float *from = (float *)p->d, *to = (float *)p->workspace;
    int *const flags = (int *)(to + count);
    cudaMemsetAsync(flags, 0, p->n * sizeof(int), stream);
    cudaMemcpyAsync(from, p->w, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    for (int i = 0; i < lab_apsp_products(p); i++) {
        square<<<2 * p->n, 64, 0, stream>>>(p->n, i + 1, from, to, flags);
        float *const last = from;
        from = to;
        to = last;
    }
    if (from != p->d)
        cudaMemcpyAsync(p->d, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"flag_of_block_scope", launch, workspace, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
