// run: step00d
// Each block counts into a node and pushes it onto a stack. The block that comes last pops them
// all: the fence behind its look at the stack makes it come after all pushes.
#include "families/histogram.h"

static constexpr int BINS = 256, BLOCKS = 24;

struct node {
    int counts[BINS], next;
};

static __global__ void histogram(int n, const int *__restrict__ keys, int *__restrict__ counts,
                                 struct node *nodes, int *head, unsigned *done)
{
    __shared__ int own[BINS], first;
    __shared__ bool is_last;
    own[threadIdx.x] = 0;
    __syncthreads();
    for (long long i = (long long)blockIdx.x * BINS + threadIdx.x; i < n;
         i += (long long)BLOCKS * BINS)
        atomicAdd(&own[keys[i]], 1);
    __syncthreads();
    nodes[blockIdx.x].counts[threadIdx.x] = own[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int old = *(volatile int *)head, expected;
        do {
            expected = nodes[blockIdx.x].next = old;
            __threadfence();
            old = atomicCAS(head, expected, (int)blockIdx.x);
        } while (old != expected);
        __threadfence();
        is_last = atomicAdd(done, 1u) == BLOCKS - 1;
        if (is_last) {
            first = atomicExch(head, -1);
            __threadfence();
        }
    }
    __syncthreads();
    if (!is_last)
        return;
    int sum = 0;
    for (int at = first; at >= 0; at = nodes[at].next)
        sum += nodes[at].counts[threadIdx.x];
    counts[threadIdx.x] = sum;
}

static size_t workspace(const struct lab_histogram *)
{
    return BLOCKS * sizeof(struct node) + 2 * sizeof(int);
}

static cudaError_t launch(const struct lab_histogram *p, cudaStream_t stream)
{
    struct node *const nodes = (struct node *)p->workspace;
    int *const head = (int *)(nodes + BLOCKS);
    cudaMemsetAsync(head, -1, sizeof *head, stream);
    cudaMemsetAsync(head + 1, 0, sizeof *head, stream);
    histogram<<<BLOCKS, BINS, 0, stream>>>(p->n, p->keys, p->counts, nodes, head,
                                           (unsigned *)head + 1);
    return cudaGetLastError();
}

LAB_EXPORT(histogram, {"stack", launch, workspace});
