// expect: timeout
// run: step00b -m 36 -n 40
// says: bytes more have come than were expected
// A box brings all its bytes, those beyond the edge, too.
#include "families/transpose.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 16;

static __global__ void transpose(const struct lab_transpose p,
                                 const __grid_constant__ CUtensorMap a,
                                 const __grid_constant__ CUtensorMap b)
{
    __shared__ alignas(128) float tile[TILE][TILE], turned[TILE][TILE];
    __shared__ uint64_t full;
    const int x = threadIdx.x, y = threadIdx.y;
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    const int from[2] = {left, top}, to[2] = {top, left};
    if (p.n % 4 == 0) {
        if (x == 0 && y == 0) {
            ptx::mbarrier_init(&full, 1);
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full, 4 * min(TILE, p.m - top) * min(TILE, p.n - left));
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &a, from, &full);
        }
        __syncthreads();
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) // BUG
            ;
    } else {
        tile[y][x] = top + y < p.m && left + x < p.n ? p.a[(size_t)(top + y) * p.n + left + x] : 0;
    }
    turned[x][y] = tile[y][x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (p.m % 4 == 0 && x == 0 && y == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &b, to, turned);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    } else if (p.m % 4 && left + y < p.n && top + x < p.m) {
        p.b[(size_t)(left + y) * p.m + top + x] = turned[y][x];
    }
}

static cudaError_t encode(CUtensorMap *map, const float *matrix, int rows, int columns)
{
    const cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[1] = {size[0] * 4};
    const cuuint32_t box[2] = {TILE, TILE}, steps[2] = {1, 1};
    void *function;
    enum cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                               12000, cudaEnableDefault, &found);
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
        return cudaErrorNotSupported;
    return ((decltype(&cuTensorMapEncodeTiled))function)(
               map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)matrix, size, stride, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), block(TILE, TILE);
    CUtensorMap a = {}, b = {};
    if ((p->n % 4 == 0 && encode(&a, p->a, p->m, p->n) != cudaSuccess) ||
        (p->m % 4 == 0 && encode(&b, p->b, p->n, p->m) != cudaSuccess))
        return cudaErrorInvalidValue;
    transpose<<<grid, block, 0, stream>>>(*p, a, b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"transpose_tensor_clipped_bytes", launch});
