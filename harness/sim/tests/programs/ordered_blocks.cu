/* Blocks and warps that share global memory correctly, each in one of the usual ways. None of them
 * may be taken for a race, and all results must be right. */
#include <cstdio>

enum { BLOCKS = 24, THREADS = 96, COUNT = BLOCKS * THREADS };

__device__ unsigned arrived, generation, next_piece;
__device__ int lock, total, seen;

/* The block that comes last adds up what all have written, and clears the counter again. */
__global__ void last_block_adds(const int *in, int *part, int *out)
{
    __shared__ bool is_last;
    int sum = 0;
    for (int i = threadIdx.x; threadIdx.x < 32 && i < THREADS; i += 32)
        sum += in[blockIdx.x * THREADS + i];
    for (int step = 16; threadIdx.x < 32 && step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x > 0)
        return;
    __threadfence();
    sum = 0;
    for (int i = 0; i < gridDim.x; i++)
        sum += part[i];
    *out = sum;
    arrived = 0;
}

/* The same by warps instead of blocks: a warp fences what all of its lanes have written. */
__global__ void last_warp_adds(const int *in, int *part, int *out)
{
    unsigned ticket = 0;
    part[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ticket = atomicAdd(&arrived, 1);
    if (ticket != gridDim.x * blockDim.x / 32 - 1)
        return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < gridDim.x * blockDim.x; i++)
        sum += part[i];
    *out = sum;
    arrived = 0;
}

__global__ void atomics_add(const int *in, int *out)
{
    atomicAdd(&out[blockIdx.x % 3], in[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void each_its_own(int *data)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x / 3 * blockDim.x)
        if (blockIdx.x < gridDim.x / 3)
            data[i] = 2 * data[i] + 1;
}

/* Warps of a block hand elements to each other, with barriers between. */
__global__ void turn_each_block(int *data)
{
    int *const mine = data + blockIdx.x * THREADS;
    const int value = mine[THREADS - 1 - threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = value;
    __syncthreads();
    const int other = mine[THREADS - 1 - threadIdx.x];
    __syncthreads();
    mine[THREADS - 1 - threadIdx.x] = other + 1;
}

/* A barrier between all blocks, which must all be running. */
__device__ void wait_for_all_blocks()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned mine = *(volatile unsigned *)&generation;
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            atomicAdd(&generation, 1);
        } else {
            while (*(volatile unsigned *)&generation == mine)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void neighbours(int *data, int *next)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
    for (int round = 0; round < 4; round++) {
        next[i] = data[(i + 1) % count] + 1;
        wait_for_all_blocks();
        data[i] = next[i];
        wait_for_all_blocks();
    }
}

__global__ void under_a_lock()
{
    if (threadIdx.x > 0)
        return;
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    total += blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
}

/* Pieces of work from a queue. */
__global__ void take_pieces(int *data)
{
    __shared__ unsigned piece;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            piece = atomicAdd(&next_piece, 1);
        __syncthreads();
        if (piece >= COUNT / THREADS)
            return;
        data[piece * THREADS + threadIdx.x] += 3;
    }
}

/* All threads that find something say so; this one is worth a warning, no more. */
__global__ void say_the_same(const int *data)
{
    if (data[blockIdx.x * blockDim.x + threadIdx.x] % 2 != 0)
        seen = 1;
}

static int wrong;

static void expect(const char *name, bool is_right)
{
    const cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess && is_right)
        return;
    printf("ordered_blocks: %s: %s\n", name, cudaGetErrorString(status));
    wrong++;
}

static int read(const int *device)
{
    int value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

int main()
{
    static int host[COUNT];
    int *data, *scratch, *out, sum = 0, value = 0;
    for (int i = 0; i < COUNT; i++)
        sum += host[i] = i * 7 % 61;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&scratch, sizeof host);
    cudaMalloc(&out, 3 * sizeof(int));
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 3 * sizeof(int));
    for (int i = 0; i < 2; i++) {
        last_block_adds<<<BLOCKS, THREADS>>>(data, scratch, out);
        expect("last_block_adds", read(out) == sum);
        last_warp_adds<<<BLOCKS, THREADS>>>(data, scratch, out);
        expect("last_warp_adds", read(out) == sum);
    }
    cudaMemset(out, 0, 3 * sizeof(int));
    atomics_add<<<BLOCKS, THREADS>>>(data, out);
    expect("atomics_add", read(out) + read(out + 1) + read(out + 2) == sum);
    each_its_own<<<BLOCKS, THREADS>>>(data);
    expect("each_its_own", read(data + COUNT - 1) == 2 * host[COUNT - 1] + 1);
    turn_each_block<<<BLOCKS, THREADS>>>(data);
    expect("turn_each_block", read(data + 5) == 2 * host[THREADS - 6] + 2);
    take_pieces<<<5, THREADS>>>(data);
    expect("take_pieces", read(data + 5) == 2 * host[THREADS - 6] + 5);
    neighbours<<<BLOCKS, THREADS>>>(data, scratch);
    expect("neighbours", read(data + 1) == 2 * host[THREADS - 6] + 9);
    under_a_lock<<<BLOCKS, THREADS>>>();
    cudaMemcpyFromSymbol(&value, total, sizeof value);
    expect("under_a_lock", value == BLOCKS * (BLOCKS - 1) / 2);
    say_the_same<<<BLOCKS, THREADS>>>(data);
    cudaMemcpyFromSymbol(&value, seen, sizeof value);
    expect("say_the_same", value == 1);
    printf("ordered_blocks: %d wrong\n", wrong);
    return wrong != 0;
}
