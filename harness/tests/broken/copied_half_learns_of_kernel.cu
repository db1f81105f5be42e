// expect: race
// run: step00a -n 5000
// says: another thread of the block has waited
// Kernels begin early; one thread waits for the earlier kernel, and then meets the first two warps,
// but not the other two.
#include "families/copy.h"
#include "ptx/launch_early.h"

constexpr int T = 128, PIECE = 4096; // threads, elements

// Of the threads of the first two warps.
static __device__ void first_half_meets()
{
    asm volatile("bar.sync 1, 64;" ::: "memory");
}

static __global__ void stage(int n, const float *from, float *piece)
{
    const int i = (int)blockIdx.x * T + (int)threadIdx.x;
    ptx_let_next_begin();
    ptx_wait_for_earlier();
    if (i < n)
        piece[i] = from[i];
}

static __global__ void store(int n, const float *piece, float *to)
{
    const int i = (int)blockIdx.x * T + (int)threadIdx.x;
    ptx_let_next_begin();
    if (threadIdx.x == 0)
        ptx_wait_for_earlier();
    if (threadIdx.x < 64)
        first_half_meets();
    if (i < n)
        to[i] = piece[i]; // BUG
}

static size_t workspace(const struct lab_copy *)
{
    return PIECE * sizeof(float);
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    float *const piece = (float *)p->workspace;
    cudaError_t status = cudaSuccess;
    for (int first = 0; first < p->n && status == cudaSuccess; first += PIECE) {
        const int n = p->n - first < PIECE ? p->n - first : PIECE, blocks = (n - 1) / T + 1;
        status = launch_early(stage, blocks, T, 0, stream, n, p->from + first, piece);
        if (status == cudaSuccess)
            status =
                launch_early(store, blocks, T, 0, stream, n, (const float *)piece, p->to + first);
    }
    return status;
}

LAB_EXPORT(copy, {"half_learns_of_kernel", launch, workspace});
