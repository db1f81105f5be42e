// Exercise 00h: how many sectors does a load of a warp touch? One kernel copies the first 32768
// elements, another the rest, and neighbouring lanes take elements that lie some elements apart.
// Work out how many:
//
//     elements      sectors of each load
//     the first      8
//     the rest      32
//
// An element has 4 bytes, a sector 32. Take the least distance that gives the number.
#include "families/copy.h"

// BEGIN SOLUTION: how many elements apart do neighbouring lanes lie?
constexpr int FIRST = 2;
constexpr int SECOND = 8;
//| constexpr int FIRST = 1;
//| constexpr int SECOND = 1;
// END SOLUTION
constexpr int PART = 32768; // elements of the first kernel
constexpr int LANES = 32;
constexpr int THREADS = 256; // per block

// Copies the elements from begin to end. A warp takes LANES * APART of them, in APART turns.
template <int APART>
static __global__ __launch_bounds__(THREADS) void copy(long long begin, long long end,
                                                       const float *__restrict__ from,
                                                       float *__restrict__ to)
{
    const long long warp = ((long long)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int lane = (int)threadIdx.x % LANES;
    for (int turn = 0; turn < APART; ++turn) {
        const long long i = begin + warp * LANES * APART + lane * APART + turn;
        if (i < end)
            to[i] = from[i];
    }
}

static int blocks_of(long long elements, int apart)
{
    return (int)((elements + (long long)THREADS * apart - 1) / ((long long)THREADS * apart));
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    const long long part = p->n < PART ? p->n : PART, rest = p->n - part;
    copy<FIRST><<<blocks_of(part, FIRST), THREADS, 0, stream>>>(0, part, p->from, p->to);
    if (rest > 0)
        copy<SECOND><<<blocks_of(rest, SECOND), THREADS, 0, stream>>>(part, p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"apart", launch});
