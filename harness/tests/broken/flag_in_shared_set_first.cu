// expect: race
// on a GPU: ok
// run: step01 -m 33
// says: that is set at flag_in_shared_set_first.cu:22, before that write
// One warp adds products in parts, the other adds the parts. The flag is set before the parts.
#include "families/gemm.h"

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ volatile float part[32];
    __shared__ volatile int ready;
    const int row = (int)blockIdx.x, lane = (int)threadIdx.x % 32;
    if (threadIdx.x == 0)
        ready = -1;
    __syncthreads();
    for (int col = 0; col < p.n; ++col) {
        if (threadIdx.x >= 32) {
            float sum = 0.0f;
            for (int i = lane; i < p.k; i += 32)
                sum += p.a[(size_t)row * p.k + i] * p.b[(size_t)i * p.n + col];
            if (lane == 0)
                ready = col;
            __threadfence_block();
            part[lane] = sum;
        } else if (lane == 0) {
            while (ready < col)
                ;
            __threadfence_block();
            float sum = 0.0f;
            for (int i = 0; i < 32; ++i)
                sum += part[i]; // BUG
            float *const c = &p.c[(size_t)row * p.n + col];
            *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
        }
        __syncthreads();
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<p->m, 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"flag_in_shared_set_first", launch});
