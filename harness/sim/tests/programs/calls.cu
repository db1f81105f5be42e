/* Lanes of one warp that are in different functions, none of them inlined, and wait for each other:
 * by a barrier in shared memory, by flags, by __syncwarp() and by shuffles. Threads are scheduled
 * independently, so that each of these kernels ends. */
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
using flag = cuda::atomic_ref<int, cuda::thread_scope_block>;

const int LANES = 32, HALF = 16, ROUNDS = 5;

struct exchange {
    barrier *full, *empty;
    int *value;
};

/* ---- By a barrier in shared memory ---- */

__noinline__ __device__ int produce(exchange by, int round, int lane)
{
    int kept[4];
    for (int i = 0; i < 4; i++)
        kept[(i + round) % 4] = lane * 10 + i;
    by.empty->arrive_and_wait();
    by.value[lane] = lane * 100 + round;
    (void)by.full->arrive();
    return kept[round % 4] + 1;
}

__noinline__ __device__ int consume(exchange by, int round, int lane)
{
    int kept[8], sum = 0;
    for (int i = 0; i < 8; i++)
        kept[(i * 3 + round) % 8] = lane + i;
    (void)by.empty->arrive();
    by.full->arrive_and_wait();
    for (int i = 0; i < 8; i++)
        sum += kept[(i + lane) % 8];
    return by.value[lane - HALF] * 1000 + sum;
}

__global__ void by_barrier(int *y)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full, empty;
    __shared__ int value[HALF];
    const int lane = threadIdx.x;
    if (lane == 0) {
        init(&full, LANES);
        init(&empty, LANES);
    }
    __syncthreads();
    const exchange by = {&full, &empty, value};
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (lane < HALF)
            sum += produce(by, round, lane);
        else
            sum += consume(by, round, lane);
    }
    y[lane] = sum;
}

static int expected_by_barrier(int lane)
{
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += lane < HALF ? lane * 10 + 1 : ((lane - HALF) * 100 + round) * 1000 + 8 * lane + 28;
    return sum;
}

/* ---- By a flag, from different depths of recursion ---- */

__noinline__ __device__ int last_wait(flag set, int *data, int lane)
{
    while (set.load(cuda::memory_order_acquire) == 0)
        ;
    return data[lane - 1];
}

__noinline__ __device__ int descend_to_wait(flag set, int *data, int lane, int depth)
{
    int mine[2] = {depth, lane};
    if (depth == 0)
        return last_wait(set, data, lane);
    const int below = descend_to_wait(set, data, lane, depth - 1);
    return below + mine[lane % 2] * (depth + lane % 2);
}

__noinline__ __device__ int descend_to_set(flag set, int *data, int lane, int depth)
{
    int mine[3] = {lane, depth, 1};
    if (depth == 0) {
        data[lane] = 1000 * lane;
        set.store(1, cuda::memory_order_release);
        return 5;
    }
    return descend_to_set(set, data, lane, depth - 1) + mine[depth % 3];
}

__global__ void by_flag(int *y)
{
    __shared__ int data[LANES], flags[LANES];
    const int lane = threadIdx.x;
    flags[lane] = 0;
    __syncthreads();
    if (lane % 2)
        y[lane] = descend_to_wait(flag(flags[lane - 1]), data, lane, lane / 4);
    else
        y[lane] = descend_to_set(flag(flags[lane]), data, lane, (LANES - lane) / 3);
}

static int expected_by_flag(int lane)
{
    int sum = lane % 2 ? 1000 * (lane - 1) : 5;
    for (int depth = lane % 2 ? lane / 4 : (LANES - lane) / 3; depth > 0; depth--)
        sum += lane % 2 ? lane * (depth + 1) : depth % 3 == 0 ? lane : depth % 3 == 1 ? depth : 1;
    return sum;
}

/* ---- A function for each lane, in a chain: each waits for the one after it ---- */

typedef int chained(volatile int *turn, int lane);

template <int FACTOR> __noinline__ __device__ int wait_turn(volatile int *turn, int lane)
{
    while (*turn != LANES - 1 - lane)
        __nanosleep(20);
    const int had = *turn;
    *turn = had + 1;
    return FACTOR * had;
}

__device__ chained *const links[4] = {wait_turn<1>, wait_turn<3>, wait_turn<5>, wait_turn<7>};

__global__ void by_pointer(int *y)
{
    __shared__ int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    y[threadIdx.x] = links[threadIdx.x % 4](&turn, threadIdx.x) + threadIdx.x;
}

static int expected_by_pointer(int lane)
{
    return (2 * (lane % 4) + 1) * (LANES - 1 - lane) + lane;
}

/* ---- Some lanes have returned, and set afterwards what the others wait for ---- */

__noinline__ __device__ int wait_for_returned(flag set, int lane)
{
    int mine[2] = {lane + 1, lane + 2};
    if (lane < HALF)
        return mine[lane % 2];
    while (set.load(cuda::memory_order_acquire) == 0)
        ;
    return set.load(cuda::memory_order_relaxed) + mine[lane % 2];
}

__global__ void by_return(int *y)
{
    __shared__ int value;
    const int lane = threadIdx.x;
    if (lane == 0)
        value = 0;
    __syncwarp();
    const int sum = wait_for_returned(flag(value), lane);
    if (lane == 0)
        flag(value).store(500, cuda::memory_order_release);
    y[lane] = sum;
}

static int expected_by_return(int lane)
{
    return lane + 1 + lane % 2 + (lane < HALF ? 0 : 500);
}

/* ---- By __syncwarp() and by shuffles ---- */

__noinline__ __device__ int left(int *value, int lane)
{
    value[lane] = lane + 7;
    __syncwarp();
    const int other = value[lane + HALF];
    __syncwarp();
    value[lane] = other;
    __syncwarp(0xffff);
    return value[lane ^ 1];
}

__noinline__ __device__ int deeper(int *value, int lane)
{
    int mine[2] = {lane, -lane};
    __syncwarp();
    return value[lane - HALF] + mine[lane % 2];
}

__noinline__ __device__ int right(int *value, int lane)
{
    value[lane] = lane * 3;
    const int other = deeper(value, lane);
    __syncwarp();
    return other;
}

__global__ void by_syncwarp(int *y)
{
    __shared__ int value[LANES];
    const int lane = threadIdx.x;
    int got;
    if (lane < HALF)
        got = left(value, lane);
    else
        got = right(value, lane);
    __syncwarp();
    y[lane] = got;
}

static int expected_by_syncwarp(int lane)
{
    return lane < HALF ? ((lane ^ 1) + HALF) * 3 : lane - HALF + 7 + (lane % 2 ? -lane : lane);
}

/* All lanes come to one shuffle, by two calls of its function. */
__noinline__ __device__ int turn(int x)
{
    return __shfl_xor_sync(0xffffffffu, x, 31) + __reduce_add_sync(0xffffffffu, x);
}

__noinline__ __device__ int first_caller(int x)
{
    int mine[2] = {x, 2 * x};
    return turn(x * x) + mine[x % 2];
}

__global__ void by_shuffle(int *y)
{
    const int lane = threadIdx.x;
    int got;
    if (lane < HALF)
        got = first_caller(lane);
    else
        got = turn(lane + 1) + 2;
    y[lane] = got;
}

static int expected_by_shuffle(int lane)
{
    int sum = 0;
    auto given = [](int i) { return i < HALF ? i * i : i + 1; };
    for (int i = 0; i < LANES; i++)
        sum += given(i);
    sum += given(lane ^ 31);
    return sum + (lane < HALF ? lane * (1 + lane % 2) : 2);
}

/* ---- The host ---- */

static int check(const char *name, void (*kernel)(int *), int (*expected)(int))
{
    int *y, wrong = 0, result[LANES];
    cudaMalloc(&y, sizeof result);
    kernel<<<1, LANES>>>(y);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LANES && status == cudaSuccess; i++)
        wrong += result[i] != expected(i);
    printf("calls: %s: %d wrong, %s\n", name, wrong, cudaGetErrorString(status));
    cudaFree(y);
    return wrong != 0 || status != cudaSuccess;
}

int main()
{
    static const struct {
        const char *name;
        void (*kernel)(int *);
        int (*expected)(int);
    } cases[] = {
        {"by_barrier", by_barrier, expected_by_barrier},
        {"by_flag", by_flag, expected_by_flag},
        {"by_pointer", by_pointer, expected_by_pointer},
        {"by_return", by_return, expected_by_return},
        {"by_syncwarp", by_syncwarp, expected_by_syncwarp},
        {"by_shuffle", by_shuffle, expected_by_shuffle},
    };
    int failed = 0;
    for (const auto &one : cases)
        failed += check(one.name, one.kernel, one.expected);
    return failed != 0;
}
