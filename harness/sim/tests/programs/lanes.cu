/* Lanes of a warp that work together as they should, with no word from the checks: reductions with
 * __syncwarp(), halves and partitions with masks of their own, bytes, and asynchronous copies. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_pipeline.h>

namespace groups = cooperative_groups;

const int THREADS = 128, TILE = 256, TILES = 9;

/* A warp adds up 32 values in shared memory; reads and writes of each step are apart. */
__global__ void reduce(const int *x, int *sums)
{
    __shared__ int partial[THREADS];
    const int lane = threadIdx.x % 32;
    int *mine = &partial[threadIdx.x - lane];
    mine[lane] = x[blockIdx.x * THREADS + threadIdx.x];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        if (lane < step)
            mine[lane] += mine[lane + step];
        __syncwarp();
    }
    if (lane == 0)
        sums[(blockIdx.x * THREADS + threadIdx.x) / 32] = mine[0];
}

/* Each half of a warp exchanges values under its own mask, in its own side of the branch. */
__global__ void halves(const int *x, int *y)
{
    __shared__ int values[THREADS];
    const int i = threadIdx.x, lane = i % 32;
    values[i] = x[i];
    int other;
    if (lane < 16) {
        __syncwarp(0x0000ffffu);
        other = values[i ^ 1] + 1;
        other += __shfl_xor_sync(0x0000ffffu, other, 2);
    } else {
        __syncwarp(0xffff0000u);
        other = values[i ^ 8] + 2;
        __syncwarp(0xffff0000u);
        values[i] = other;
    }
    __syncwarp();
    y[i] = other + values[i ^ 16];
}

/* Tiles of a partition: each is a group of its own. */
__global__ void partition(const int *x, int *y)
{
    __shared__ int values[THREADS];
    auto tile = groups::tiled_partition<8>(groups::this_thread_block());
    values[threadIdx.x] = x[threadIdx.x];
    tile.sync();
    int sum = values[threadIdx.x ^ 7];
    for (int step = tile.size() / 2; step > 0; step /= 2)
        sum += tile.shfl_down(sum, step);
    tile.sync();
    if (tile.thread_rank() == 0)
        values[threadIdx.x] = sum;
    tile.sync();
    y[threadIdx.x] = values[threadIdx.x - tile.thread_rank()];
}

/* Two warps fill the even and the odd bytes of the same words; then all read words. */
__global__ void bytes(unsigned *y)
{
    __shared__ __align__(4) unsigned char tile[64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 2)
        tile[2 * lane + warp] = (unsigned char)(threadIdx.x * 3);
    __syncthreads();
    if (threadIdx.x < 16)
        y[threadIdx.x] = reinterpret_cast<const unsigned *>(tile)[threadIdx.x];
}

/* Sums neighbours of one tile while the next one is on its way. */
__global__ void stream(const int *x, int *y)
{
    __shared__ __align__(16) int tile[2][TILE];
    const int t = threadIdx.x;
    int sum = 0;
    if (4 * t < TILE)
        __pipeline_memcpy_async(&tile[0][4 * t], &x[4 * t], 16);
    __pipeline_commit();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES && 4 * t < TILE)
            __pipeline_memcpy_async(&tile[(i + 1) % 2][4 * t], &x[(i + 1) * TILE + 4 * t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[i % 2][t] - tile[i % 2][TILE - 1 - t];
        __syncthreads();
    }
    y[t] = sum;
}

static int check(const int *x, const int *y, const unsigned *words)
{
    int wrong = 0;
    for (int warp = 0; warp < 2 * THREADS / 32; warp++) {
        int sum = 0;
        for (int i = 0; i < 32; i++)
            sum += x[32 * warp + i];
        wrong += y[warp] != sum;
    }
    auto other = [&](int i) {
        const int here = i % 32 < 16 ? x[i ^ 1] + 1 : x[i ^ 8] + 2;
        return i % 32 < 16 ? here + x[i ^ 3] + 1 : here;
    };
    for (int i = 0; i < THREADS; i++)
        wrong += y[1000 + i] != other(i) + (i % 32 < 16 ? other(i ^ 16) : x[i ^ 16]);
    for (int i = 0; i < THREADS; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += x[i / 8 * 8 + k];
        wrong += y[2000 + i] != sum;
    }
    for (int i = 0; i < 64; i++)
        wrong += reinterpret_cast<const unsigned char *>(words)[i] !=
                 (unsigned char)((i / 2 + i % 2 * 32) * 3);
    for (int t = 0; t < THREADS; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += x[i * TILE + t] - x[i * TILE + TILE - 1 - t];
        wrong += y[3000 + t] != sum;
    }
    return wrong;
}

int main()
{
    static int x[TILES * TILE], y[4000];
    unsigned words[16];
    for (int i = 0; i < TILES * TILE; i++)
        x[i] = i * 7919 % 1000;
    int *device_x, *device_y;
    unsigned *device_words;
    cudaMalloc(&device_x, sizeof x);
    cudaMalloc(&device_y, sizeof y);
    cudaMalloc(&device_words, sizeof words);
    cudaMemset(device_y, 0, sizeof y);
    cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
    reduce<<<2, THREADS>>>(device_x, device_y);
    halves<<<1, THREADS>>>(device_x, device_y + 1000);
    partition<<<1, THREADS>>>(device_x, device_y + 2000);
    bytes<<<1, THREADS>>>(device_words);
    stream<<<1, THREADS>>>(device_x, device_y + 3000);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(words, device_words, sizeof words, cudaMemcpyDeviceToHost);
    const int wrong = check(x, y, words);
    printf("lanes: %d wrong, %s\n", wrong, cudaGetErrorString(status));
    return wrong != 0 || status != cudaSuccess;
}
