// Measures the latencies and rates that a GPU profile in this folder holds: one warp waits for each
// result, or all SMs work at once. Built by hand: nvcc -O3 -arch=native latencies.cu.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { STEPS = 2048, SHARED_WORDS = 1024 };

static void stop_on(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "latencies: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

// The address of each load is the result of the load before it.
static __global__ void chase_global(const size_t *chain, size_t start, int warm, float *cycles,
                                    size_t *end)
{
    size_t at = start;
    for (int i = 0; i < warm; i++)
        at = chain[at];
    long long from = clock64();
    for (int i = 0; i < STEPS; i++)
        at = chain[at];
    long long to = clock64();
    *cycles = (float)(to - from) / STEPS;
    *end = at;
}

static __global__ void chase_shared(float *cycles, unsigned *end)
{
    __shared__ unsigned chain[SHARED_WORDS];
    for (unsigned i = threadIdx.x; i < SHARED_WORDS; i += 32)
        chain[i] = (i + 33) % SHARED_WORDS;
    __syncwarp();
    unsigned at = threadIdx.x;
    long long from = clock64();
    for (int i = 0; i < STEPS; i++)
        at = chain[at];
    long long to = clock64();
    if (threadIdx.x == 0)
        *cycles = (float)(to - from) / STEPS;
    end[threadIdx.x] = at;
}

static __global__ void chain_ffma(float x, float *cycles, float *end)
{
    float y = x;
    long long from = clock64();
#pragma unroll 64
    for (int i = 0; i < STEPS; i++)
        y = y * x + x;
    long long to = clock64();
    *cycles = (float)(to - from) / STEPS;
    *end = y;
}

static __global__ void barriers(float *cycles)
{
    long long from = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++)
        __syncthreads();
    long long to = clock64();
    if (threadIdx.x == 0)
        *cycles = (float)(to - from) / STEPS;
}

static __global__ void empty()
{
}

// The grid reads all of `data` in each of 16 passes. In each pass a block reads another part, so
// that nothing is in L1 (which __ldcg bypasses anyway). `mask` + 1 is the number of elements, a
// power of two: a division for each element would cost more than reading it from L2.
static __global__ void read_all(const float4 *__restrict__ data, unsigned mask, float *end)
{
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    unsigned stride = gridDim.x * blockDim.x;
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned pass = 0; pass < 16; pass++)
#pragma unroll 8
        for (unsigned i = first; i <= mask; i += stride) {
            float4 v = __ldcg(&data[(i + pass * 40960) & mask]);
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
    if (sum.x + sum.y + sum.z + sum.w == 12345.0f)
        *end = sum.x;
}

static float chase(size_t bytes, size_t stride, int warm)
{
    static size_t *host;
    size_t count = bytes / sizeof *host, step = stride / sizeof *host;
    float *cycles;
    size_t *chain, *end;
    host = (size_t *)calloc(count, sizeof *host);
    for (size_t i = 0; i < count; i++)
        host[i] = (i + step) % count;
    stop_on(cudaMallocManaged(&cycles, 256));
    stop_on(cudaMalloc(&chain, bytes));
    stop_on(cudaMalloc(&end, 256));
    stop_on(cudaMemcpy(chain, host, bytes, cudaMemcpyHostToDevice));
    if (!warm) { // push the chain out of the L2 cache
        void *other;
        stop_on(cudaMalloc(&other, 256u << 20));
        stop_on(cudaMemset(other, 0, 256u << 20));
        cudaFree(other);
    }
    chase_global<<<1, 1>>>(chain, 0, warm, cycles, end);
    stop_on(cudaDeviceSynchronize());
    float result = *cycles;
    cudaFree(chain), cudaFree(cycles), cudaFree(end);
    free(host);
    return result;
}

static float milliseconds(void (*launch)(void *), void *with)
{
    cudaEvent_t from, to;
    float best = 1e30f, now;
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (int i = 0; i < 20; i++) {
        cudaEventRecord(from);
        launch(with);
        cudaEventRecord(to);
        stop_on(cudaEventSynchronize(to));
        cudaEventElapsedTime(&now, from, to);
        best = now < best ? now : best;
    }
    return best;
}

// All lanes add at `p`: to one word if `apart` and `own_words` are 0; with `apart` 32, each warp
// adds in a line of its own.
template <typename T> static __global__ void add_global(T *p, int apart, int own_words)
{
    const int lane = threadIdx.x % 32;
    const size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < STEPS / 32; i++)
        atomicAdd(p + warp * apart + lane * own_words, (T)1);
}

// The same in shared memory. `one` is no constant, since constants have another instruction.
template <typename T> static __global__ void add_shared(T one, int own_words, T *end)
{
    __shared__ T words[SHARED_WORDS];
    const int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < SHARED_WORDS; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    for (int i = 0; i < STEPS / 8; i++)
        atomicAdd(&words[lane * own_words], one);
    __syncthreads();
    if (threadIdx.x == 0)
        end[0] = words[0];
}

struct reading {
    float4 *data;
    size_t count;
    float *end;
    int blocks;
};

static void launch_read(void *with)
{
    struct reading *r = (struct reading *)with;
    read_all<<<r->blocks, 512>>>(r->data, (unsigned)r->count - 1, r->end);
}

static void launch_empty(void *)
{
    empty<<<1, 32>>>();
}

static void bandwidth(const char *name, size_t bytes, int sms)
{
    struct reading r = {NULL, bytes / sizeof(float4), NULL, sms * 4};
    stop_on(cudaMalloc(&r.data, bytes));
    stop_on(cudaMalloc(&r.end, 256));
    stop_on(cudaMemset(r.data, 0, bytes));
    printf("%-28s %8.0f GB/s\n", name, 16.0 * bytes / milliseconds(launch_read, &r) / 1e6);
    cudaFree(r.data), cudaFree(r.end);
}

template <typename T> struct adding {
    T *words;
    int apart, own_words, blocks;
};

template <typename T> static void launch_add_global(void *with)
{
    struct adding<T> *a = (struct adding<T> *)with;
    add_global<<<a->blocks, 256>>>(a->words, a->apart, a->own_words);
}

template <typename T> static void launch_add_shared(void *with)
{
    struct adding<T> *a = (struct adding<T> *)with;
    add_shared<<<a->blocks, 256>>>((T)3, a->own_words, a->words);
}

// Prints the cycles for each addition to one word, the sectors that additions apart reach in a
// cycle, and the cycles of an SM for each addition to a word in shared memory.
template <typename T> static void atomics(const char *type, int sms, double ghz)
{
    struct adding<T> a = {
        NULL, 0, 0, sms * 8
    };
    const double warps = sms * 64.0;
    stop_on(cudaMalloc(&a.words, 64 << 20));
    stop_on(cudaMemset(a.words, 0, 64 << 20));
    const double one_word = milliseconds(launch_add_global<T>, &a);
    printf("%s additions, one word         %8.2f cycles\n", type,
           one_word * 1e6 * ghz / (warps * 32 * (STEPS / 32)));
    a.apart = 32, a.own_words = 1;
    const double apart = milliseconds(launch_add_global<T>, &a);
    printf("%s additions, apart            %8.1f sectors a cycle\n", type,
           warps * sizeof(T) * (STEPS / 32) / (apart * 1e6 * ghz));
    a.own_words = 0;
    const double shared = milliseconds(launch_add_shared<T>, &a);
    printf("%s additions, a shared word    %8.1f cycles\n", type,
           shared * 1e6 * ghz / (64.0 * 32 * (STEPS / 8)));
    cudaFree(a.words);
}

int main()
{
    float *cycles;
    unsigned *end;
    int sms;
    stop_on(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    stop_on(cudaMallocManaged(&cycles, 256));
    stop_on(cudaMalloc(&end, 256));
    for (int i = 0; i < 3; i++)
        chase_shared<<<1, 32>>>(cycles, end);
    stop_on(cudaDeviceSynchronize());
    printf("%-28s %8.1f cycles\n", "shared load", *cycles);
    printf("%-28s %8.1f cycles\n", "L1 hit", chase(16 << 10, 128, 4096));
    printf("%-28s %8.1f cycles\n", "L2 hit", chase(8 << 20, 128, 1 << 17));
    printf("%-28s %8.1f cycles\n", "DRAM", chase((size_t)1 << 30, 4096 + 128, 0));
    for (int i = 0; i < 3; i++)
        chain_ffma<<<1, 1>>>(1.0f, cycles, (float *)end);
    stop_on(cudaDeviceSynchronize());
    printf("%-28s %8.2f cycles\n", "FFMA", *cycles);
    for (int threads = 64; threads <= 1024; threads *= 4) {
        for (int i = 0; i < 3; i++)
            barriers<<<1, threads>>>(cycles);
        stop_on(cudaDeviceSynchronize());
        printf("barrier, %4d threads         %8.1f cycles\n", threads, *cycles);
    }
    printf("%-28s %8.2f us\n", "empty launch", 1e3 * milliseconds(launch_empty, NULL));
    bandwidth("L2 read, 4 MiB", 4 << 20, sms);
    bandwidth("L2 read, 16 MiB", 16 << 20, sms);
    bandwidth("DRAM read, 2 GiB", (size_t)2 << 30, sms);
    int khz;
    stop_on(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    atomics<int>("int  ", sms, khz * 1e-6);
    atomics<float>("float", sms, khz * 1e-6);
    return 0;
}
