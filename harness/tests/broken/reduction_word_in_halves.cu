// expect: race
// run: step00c -n 1000
// says: of which one may be old
// State and value share a 64-bit word that is read at once, but it is written as two 32-bit stores,
// the state first.
#include "families/reduction.h"

constexpr int THREADS = 256;

static __device__ void publish(unsigned long long *word, unsigned state, float value)
{
    volatile unsigned *half = (volatile unsigned *)word;
    half[1] = state;
    half[0] = __float_as_uint(value);
}

static __device__ float wait_for(const unsigned long long *word)
{
    unsigned long long seen;
    do
        seen = *(const volatile unsigned long long *)word; // BUG
    while (seen >> 32 == 0);
    return __uint_as_float((unsigned)seen);
}

static __global__ __launch_bounds__(THREADS) void chain(int n, const float *x, float *sum,
                                                        unsigned *ticket, unsigned long long *words)
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
    if (t == 0) {
        const float total = tree[0] + (number > 0 ? wait_for(&words[number - 1]) : 0.0f);
        publish(&words[number], 1, total);
        if (number == gridDim.x - 1)
            *sum = total;
    }
}

static size_t blocks(const struct lab_reduction *p)
{
    return (p->n - 1) / THREADS + 1;
}

static size_t workspace(const struct lab_reduction *p)
{
    return 256 + blocks(p) * sizeof(unsigned long long);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->workspace, 0, workspace(p), stream);
    unsigned *ticket = (unsigned *)p->workspace;
    chain<<<(unsigned)blocks(p), THREADS, 0, stream>>>(p->n, p->x, p->sum, ticket,
                                                       (unsigned long long *)(ticket + 64));
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"packed_chain", launch, workspace});
