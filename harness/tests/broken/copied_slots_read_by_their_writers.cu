// expect: race
// run: step00a -n 1000
// says: does its __threadfence() stand between the two?
// A slot is given back without a fence; the block that fills it again has read it before, too.
#include "families/copy.h"

constexpr int T = 64, SLOTS = 4; // threads, elements of a piece; places for pieces

// A block takes a number, puts its piece into a slot, and stores the piece of the block before it.
static __global__ void copy(int n, const float *from, float *to, int *number, int *full, int *empty,
                            float *slots)
{
    __shared__ int taken;
    if (threadIdx.x == 0) {
        taken = atomicAdd(number, 1);
        while (taken >= SLOTS && atomicAdd(&empty[taken - SLOTS], 0) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    const int block = taken, i = block * T + (int)threadIdx.x;
    float *const mine = &slots[block % SLOTS * T + threadIdx.x];
    const float old = block >= SLOTS ? *mine : 0.0f; // the writer is the last reader
    *mine = i < n ? from[i] : old;                   // BUG
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(&full[block], 1);
        while (block > 0 && atomicAdd(&full[block - 1], 0) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    if (block > 0)
        to[i - T] = slots[(block - 1) % SLOTS * T + threadIdx.x];
    if (block + 1 == (int)gridDim.x && i < n)
        to[i] = *mine;
    __syncthreads();
    if (threadIdx.x == 0 && block > 0) {
        atomicExch(&empty[block - 1], 1);
    }
}

static int blocks_of(const struct lab_copy *p)
{
    return (p->n - 1) / T + 1;
}

static size_t workspace(const struct lab_copy *p)
{
    return (1 + 2 * (size_t)blocks_of(p) + T * SLOTS) * sizeof(int);
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const int blocks = blocks_of(p);
    int *const number = (int *)p->workspace, *const full = number + 1, *const empty = full + blocks;
    const cudaError_t status = cudaMemsetAsync(number, 0, (1 + 2 * blocks) * sizeof(int), stream);
    if (status != cudaSuccess)
        return status;
    copy<<<blocks, T, 0, stream>>>(p->n, p->from, p->to, number, full, empty,
                                   (float *)(empty + blocks));
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"slots_read_by_their_writers", launch, workspace});
