// run: step00c
// Blocks take places for their sums from a free list, and give them back. A count of changes in the
// upper half of the list's head lets no value of it come back.
#include "families/reduction.h"

constexpr int T = 128, PLACES = 8, BLOCKS = 64;
constexpr unsigned NONE = ~0u;

struct list {
    unsigned long long head; // the first free place, and a count of changes in the upper half
    unsigned done;
    unsigned next[PLACES];
    float sums[PLACES];
};

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

static __device__ unsigned long long changed(unsigned long long head, unsigned place)
{
    return ((head >> 32) + 1) << 32 | place;
}

static __device__ unsigned take(volatile list *free)
{
    for (;;) {
        const unsigned long long head = free->head;
        const unsigned place = (unsigned)head;
        __threadfence();
        if (place == NONE)
            continue;
        const unsigned after = free->next[place];
        if (atomicCAS((unsigned long long *)&free->head, head, changed(head, after)) == head)
            return place;
    }
}

static __device__ void give_back(volatile list *free, unsigned place)
{
    unsigned long long head, seen = free->head;
    do {
        head = seen;
        free->next[place] = (unsigned)head;
        __threadfence();
        seen = atomicCAS((unsigned long long *)&free->head, head, changed(head, place));
    } while (seen != head);
}

static __global__ void add(int n, const float *__restrict__ x, float *sum, volatile list *free)
{
    float own = 0.0f;
    for (long long i = (long long)blockIdx.x * T + threadIdx.x; i < n; i += BLOCKS * T)
        own += x[i];
    own = block_sum(own);
    if (threadIdx.x != 0)
        return;
    const unsigned place = take(free);
    __threadfence();
    free->sums[place] = free->sums[place] + own;
    __threadfence();
    give_back(free, place);
    __threadfence();
    if (atomicAdd((unsigned *)&free->done, 1u) != BLOCKS - 1)
        return;
    __threadfence();
    float all = 0.0f;
    for (int i = 0; i < PLACES; ++i)
        all += free->sums[i];
    *sum = all;
}

static __global__ void begin(list *free)
{
    for (unsigned i = 0; i < PLACES; ++i) {
        free->next[i] = i + 1 < PLACES ? i + 1 : NONE;
        free->sums[i] = 0.0f;
    }
    free->head = 0;
    free->done = 0;
}

static size_t workspace(const struct lab_reduction *)
{
    return sizeof(list);
}

static cudaError_t launch(const struct lab_reduction *p, cudaStream_t stream)
{
    list *const free = (list *)p->workspace;
    begin<<<1, 1, 0, stream>>>(free);
    add<<<BLOCKS, T, 0, stream>>>(p->n, p->x, p->sum, free);
    return cudaGetLastError();
}

LAB_EXPORT(reduction, {"reduction_free_list_counted", launch, workspace});
