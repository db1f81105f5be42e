// expect: race
// run: step00c -n 1000
// says: belongs after each look in such a chain
// Blocks pass a baton by release stores, but read it relaxed: the last one, which acquires, sees
// the sums of the one before it alone.
#include "families/reduction.h"

#include <cuda/atomic>

constexpr int THREADS = 256;
typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> baton;

static __global__ __launch_bounds__(THREADS) void reduce(int n, const float *x, float *sum,
                                                         unsigned *ticket, unsigned *batons,
                                                         float *parts)
{
    __shared__ float tree[THREADS];
    __shared__ unsigned number;
    const int t = threadIdx.x;
    if (t == 0)
        number = atomicAdd(ticket, 1u);
    __syncthreads();
    const long long i = (long long)number * THREADS + t;
    tree[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t > 0)
        return;
    const bool last = number == gridDim.x - 1;
    parts[number] = tree[0];
    if (number > 0)
        while (baton(batons[number - 1])
                   .load(last ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0)
            ;
    baton(batons[number]).store(1, cuda::memory_order_release);
    if (last) {
        float total = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b)
            total += parts[b]; // BUG
        *sum = total;
    }
}

static size_t blocks(const struct lab_reduction *p)
{
    return (p->n - 1) / THREADS + 1;
}

static size_t workspace(const struct lab_reduction *p)
{
    return (1 + blocks(p)) * sizeof(unsigned) + blocks(p) * sizeof(float);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    unsigned *ticket = (unsigned *)p->workspace, *batons = ticket + 1;
    cudaMemsetAsync(ticket, 0, workspace(p), stream);
    reduce<<<(unsigned)blocks(p), THREADS, 0, stream>>>(p->n, p->x, p->sum, ticket, batons,
                                                        (float *)(batons + blocks(p)));
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"baton", launch, workspace});
