// expect: misaligned
// run: step00b -m 36 -n 37
// says: which is no multiple of
// Rows of 37 elements do not begin at multiples of 16 bytes.
#include "families/transpose.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 16;

static __global__ void transpose(int m, int n, const float *a, float *b)
{
    __shared__ alignas(16) float tile[TILE][TILE], turned[TILE][TILE];
    __shared__ uint64_t full;
    const int x = threadIdx.x, y = threadIdx.y;
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    const int rows = min(TILE, m - top), columns = min(TILE, n - left);
    const bool is_there = y < rows && x < columns;
    if (n >= 4) {
        if (x == 0 && y == 0) {
            ptx::mbarrier_init(&full, 1);
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full, 4 * rows * columns);
            for (int row = 0; row < rows; ++row)
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[row], // BUG
                                   a + (size_t)(top + row) * n + left, 4 * columns, &full);
        }
        __syncthreads();
        while (!ptx::mbarrier_try_wait_parity(&full, 0))
            ;
    } else if (is_there) {
        tile[y][x] = a[(size_t)(top + y) * n + left + x];
    }
    if (is_there)
        turned[x][y] = tile[y][x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (m % 4 == 0 && y == 0 && x < columns) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, b + (size_t)(left + x) * m + top,
                           turned[x], 4 * rows);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    } else if (m % 4 && y < columns && x < rows) {
        b[(size_t)(left + y) * m + top + x] = turned[y][x];
    }
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    transpose<<<dim3((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE), dim3(TILE, TILE), 0,
                stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"transpose_rows_of_any_length", launch});
