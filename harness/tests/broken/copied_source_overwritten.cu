// expect: race
// run: step00a -n 4099
// says: and the read at
// says: a bulk copy
// The next tile but one is stored while the copy may still read this one.
#include "families/copy.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int T = 64, TILE = 128, BLOCKS = 4;

static __global__ void copy(int n, const float *from, float *to)
{
    __shared__ alignas(16) float tiles[2][TILE];
    const int whole = n / TILE * TILE;
    int round = 0;
    for (int start = blockIdx.x * TILE; start < whole; start += BLOCKS * TILE, ++round) {
        float *const tile = tiles[round % 2];
        __syncthreads();
        for (int i = threadIdx.x; i < TILE; i += T)
            tile[i] = from[start + i]; // BUG
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + start, tile, 4 * TILE);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    for (int i = whole + blockIdx.x * T + threadIdx.x; i < n; i += BLOCKS * T)
        to[i] = from[i];
}

static cudaError_t launch(const struct lab_copy *p, cudaStream_t stream)
{
    copy<<<BLOCKS, T, 0, stream>>>(p->n, p->from, p->to);
    return cudaGetLastError();
}

LAB_EXPORT(copy, {"copied_source_overwritten", launch});
