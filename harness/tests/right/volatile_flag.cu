// run: step01
// One warp brings a piece of a row of A and says so with a volatile number, behind a fence; another
// one asks for it, and says in the same way when it has used the piece.
#include "families/gemm.h"

enum { PIECE = 32 };

static __global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b,
                            float beta, float *c)
{
    __shared__ volatile float piece[PIECE];
    __shared__ volatile int brought, used;
    const int lane = threadIdx.x % 32, row = blockIdx.x, column = blockIdx.y * 32 + lane;
    float sum = 0.0f;
    if (threadIdx.x == 0)
        brought = used = 0;
    __syncthreads();
    for (int start = 0, round = 1; start < k; start += PIECE, round++) {
        if (threadIdx.x < 32) {
            while (used < round - 1)
                ;
            __threadfence_block();
            piece[lane] = start + lane < k ? a[(size_t)row * k + start + lane] : 0.0f;
            __threadfence_block();
            __syncwarp();
            if (lane == 0)
                brought = round;
            continue;
        }
        while (brought < round)
            ;
        __threadfence_block();
        for (int i = 0; i < PIECE && start + i < k && column < n; i++)
            sum += piece[i] * b[(size_t)(start + i) * n + column];
        __threadfence_block();
        __syncwarp();
        if (lane == 0)
            used = round;
    }
    if (threadIdx.x >= 32 && column < n)
        c[(size_t)row * n + column] =
            beta == 0.0f ? alpha * sum : alpha * sum + beta * c[(size_t)row * n + column];
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3(p->m, (p->n + 31) / 32), 64, 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                          p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"volatile_flag", launch});
