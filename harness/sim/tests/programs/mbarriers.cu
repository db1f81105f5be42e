/* Barriers in shared memory as libcu++ offers them: cuda::barrier with tokens and with a completion
 * of phases in turn, cuda::pipeline with asynchronous copies, and warps that specialise: some load,
 * the others compute, and two stages of a buffer go to and fro. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/pipeline>

#pragma nv_diag_suppress 20054 // barriers in shared memory are initialised by init()

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

const int THREADS = 128, ROUNDS = 5;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* Each thread passes its value to the next thread, ROUNDS times. */
__global__ void pass_on(const int *x, int *y)
{
    __shared__ int values[2][THREADS];
    __shared__ block_barrier barrier;
    const int i = threadIdx.x;
    if (i == 0)
        init(&barrier, THREADS);
    __syncthreads();
    values[0][i] = x[i];
    for (int round = 0; round < ROUNDS; round++) {
        block_barrier::arrival_token token = barrier.arrive();
        barrier.wait(std::move(token));
        values[(round + 1) % 2][i] = values[round % 2][(i + 1) % THREADS];
    }
    barrier.arrive_and_wait();
    y[i] = values[ROUNDS % 2][i];
}

/* The first warp loads tiles; the other warps add them up. */
__global__ void produce_and_consume(const int *x, int *sums, int tiles)
{
    __shared__ int buffer[2][32];
    __shared__ block_barrier full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            init(&full[s], 32);
            init(&empty[s], THREADS - 32);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int tile = 0; tile < tiles; tile++) {
            const int stage = tile % 2;
            if (tile >= 2)
                empty[stage].wait_parity((tile / 2 - 1) % 2);
            buffer[stage][threadIdx.x] = x[tile * 32 + threadIdx.x];
            (void)full[stage].arrive();
        }
    } else {
        int sum = 0;
        for (int tile = 0; tile < tiles; tile++) {
            const int stage = tile % 2;
            full[stage].wait_parity(tile / 2 % 2);
            sum += buffer[stage][threadIdx.x % 32];
            (void)empty[stage].arrive();
        }
        sums[threadIdx.x - 32] = sum;
    }
}

/* Tiles come by asynchronous copies through a pipeline of two stages. */
__global__ void copy_ahead(const int *x, int *y, int tiles)
{
    __shared__ int buffer[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int i = threadIdx.x;
    for (int tile = 0; tile < tiles + 1; tile++) {
        if (tile < tiles) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&buffer[tile % 2][i], &x[tile * THREADS + i],
                               cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        }
        if (tile > 0) {
            pipeline.consumer_wait();
            y[(tile - 1) * THREADS + i] = buffer[(tile - 1) % 2][THREADS - 1 - i];
            pipeline.consumer_release();
        }
    }
}

int main()
{
    const int TILES = 6;
    int *x, *y, failures = 0;
    stop_on(cudaMallocManaged(&x, TILES * THREADS * sizeof *x));
    stop_on(cudaMallocManaged(&y, TILES * THREADS * sizeof *y));
    for (int i = 0; i < TILES * THREADS; i++)
        x[i] = i * i % 101;
    pass_on<<<1, THREADS>>>(x, y);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++)
        failures += y[i] != x[(i + ROUNDS) % THREADS];
    produce_and_consume<<<1, THREADS>>>(x, y, TILES);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS - 32; i++) {
        int sum = 0;
        for (int tile = 0; tile < TILES; tile++)
            sum += x[tile * 32 + i % 32];
        failures += y[i] != sum;
    }
    copy_ahead<<<1, THREADS>>>(x, y, TILES);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < TILES * THREADS; i++)
        failures += y[i] != x[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    if (failures)
        fprintf(stderr, "%d wrong values\n", failures);
    return failures != 0;
}
