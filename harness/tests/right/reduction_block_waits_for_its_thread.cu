// run: step00c
// The kernel begins early; thread 0 alone waits for the earlier one, and the others wait for it.
#include "families/reduction.h"
#include "ptx/launch_early.h"

constexpr int T = 128, BLOCKS = 64;

static __device__ float block_sum(float own)
{
    __shared__ float tree[T];
    tree[threadIdx.x] = own;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    return tree[0];
}

static __global__ void add(int n, const float *x, float *sums)
{
    float own = 0.0f;
    ptx_let_next_begin();
    for (int i = (int)blockIdx.x * T + (int)threadIdx.x; i < n; i += BLOCKS * T)
        own += x[i];
    own = block_sum(own);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = own;
}

static __global__ void add_sums(const float *sums, float *sum)
{
    if (threadIdx.x == 0)
        ptx_wait_for_earlier();
    __syncthreads();
    const float all = block_sum(threadIdx.x < BLOCKS ? sums[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0)
        *sum = all;
}

static size_t workspace(const struct lab_reduction *)
{
    return BLOCKS * sizeof(float);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    float *const sums = (float *)p->workspace;
    add<<<BLOCKS, T, 0, stream>>>(p->n, p->x, sums);
    return launch_early(add_sums, 1, T, 0, stream, (const float *)sums, p->sum);
}

LAB_EXPORT(reduction, {"block_waits_for_its_thread", launch, workspace});
