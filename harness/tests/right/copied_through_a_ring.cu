// run: step00a -n 70002
// One warp of a block fetches pieces into a ring of two buffers in shared memory, the other one
// stores them. Counters tell how far each is; a fence stands before a counter is set, and another
// one after a look at it.
#include "families/copy.h"

constexpr int PIECE = 32, PIECES = 32, DEPTH = 2;

static __global__ __launch_bounds__(2 * PIECE) void copy(int n, const float *__restrict__ from,
                                                         float *__restrict__ to)
{
    __shared__ float ring[DEPTH][PIECE];
    __shared__ volatile int full, empty;
    const int lane = threadIdx.x % PIECE;
    const long long first = (long long)blockIdx.x * PIECE * PIECES + lane;
    if (threadIdx.x == 0)
        full = empty = 0;
    __syncthreads();
    for (int piece = 0; piece < PIECES; ++piece) {
        const long long i = first + piece * PIECE;
        if (threadIdx.x < PIECE) {
            while (piece - empty >= DEPTH)
                ;
            __threadfence_block();
            if (i < n)
                ring[piece % DEPTH][lane] = from[i];
            __syncwarp();
            __threadfence_block();
            if (lane == 0)
                full = piece + 1;
        } else {
            while (full <= piece)
                ;
            __threadfence_block();
            if (i < n)
                to[i] = ring[piece % DEPTH][lane];
            __syncwarp();
            __threadfence_block();
            if (lane == 0)
                empty = piece + 1;
        }
    }
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<(p->n - 1) / (PIECE * PIECES) + 1, 2 * PIECE, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"ring", launch});
