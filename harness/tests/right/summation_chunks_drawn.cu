// run: step08
// Blocks draw chunks of targets until none is left, and keep a sum for each chunk, wherever it was
// made: the sums are added in one order.
#include "families/kernel_summation.h"

enum { THREADS = 64, BLOCKS = 6, CHUNK = 16 };

static __global__ void sum_chunks(const struct lab_kernel_summation p, float factor, float *sums,
                                  unsigned *next)
{
    __shared__ int first;
    for (;;) {
        if (threadIdx.x == 0)
            first = (int)atomicAdd(next, CHUNK);
        __syncthreads();
        if (first >= p.n)
            return;
        for (int i = threadIdx.x; i < p.m; i += THREADS) {
            float sum = 0.0f;
            for (int j = first; j < first + CHUNK && j < p.n; ++j) {
                float distance = 0.0f;
                for (int d = 0; d < p.k; ++d) {
                    const float apart = p.a[(size_t)i * p.k + d] - p.b[(size_t)j * p.k + d];
                    distance += apart * apart;
                }
                sum += expf(factor * distance) * p.w[j];
            }
            sums[(size_t)(first / CHUNK) * p.m + i] = sum;
        }
        __syncthreads();
    }
}

static __global__ void add(const struct lab_kernel_summation p, const float *sums, int chunks)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;
    if (i >= p.m)
        return;
    for (int chunk = 0; chunk < chunks; ++chunk)
        sum += sums[(size_t)chunk * p.m + i];
    p.v[i] = sum;
}

static int chunks_of(const struct lab_kernel_summation *p)
{
    return (p->n - 1) / CHUNK + 1;
}

static size_t workspace(const struct lab_kernel_summation *p)
{
    return 256 + sizeof(float) * chunks_of(p) * p->m;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    float *const sums = (float *)((char *)p->workspace + 256);
    cudaMemsetAsync(p->workspace, 0, sizeof(unsigned), stream);
    sum_chunks<<<BLOCKS, THREADS, 0, stream>>>(*p, lab_exponent_factor(p->h), sums,
                                               (unsigned *)p->workspace);
    add<<<(p->m - 1) / THREADS + 1, THREADS, 0, stream>>>(*p, sums, chunks_of(p));
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"chunks_drawn", launch, workspace, LAB_REPEATABLE});
