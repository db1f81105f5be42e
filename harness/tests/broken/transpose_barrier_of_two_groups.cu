// expect: race
// run: step00b -m 70 -n 70
// says: give each group a barrier of its own
// The two halves of a block turn tiles of their own and both wait at named barrier 1, so warps of
// one release the other.
#include "families/transpose.h"

constexpr int SIDE = 32, HALF = 128;

static __device__ void wait_for_half()
{
    asm volatile("bar.sync 1, 128;" ::: "memory"); // BUG
}

static __global__ __launch_bounds__(2 * HALF) void transpose(int m, int n, const float *a, float *b)
{
    __shared__ float tiles[2][SIDE][SIDE + 1];
    const int half = threadIdx.x / HALF, x = threadIdx.x % 32, first_y = threadIdx.x % HALF / 32;
    const int across = (n - 1) / SIDE + 1, down = (m - 1) / SIDE + 1;
    float(*tile)[SIDE + 1] = tiles[half];
    for (long long number = 2 * (long long)blockIdx.x + half; number < (long long)across * down;
         number += 2 * gridDim.x) {
        const int first_row = (int)(number / across) * SIDE,
                  first_col = (int)(number % across) * SIDE;
        for (int y = first_y; y < SIDE; y += HALF / 32)
            if (first_row + y < m && first_col + x < n)
                tile[y][x] = a[(size_t)(first_row + y) * n + first_col + x];
        wait_for_half();
        for (int y = first_y; y < SIDE; y += HALF / 32)
            if (first_row + x < m && first_col + y < n)
                b[(size_t)(first_col + y) * m + first_row + x] = tile[x][y];
        wait_for_half();
    }
}

static cudaError_t launch(const struct lab_transpose *p, cudaStream_t stream)
{
    transpose<<<16, 2 * HALF, 0, stream>>>(p->m, p->n, p->a, p->b);
    return cudaGetLastError();
}

LAB_EXPORT(transpose, {"halves", launch});
