// How fast the simulator executes what a check must look at closely, and how fast the same work
// without the clash: `make bench-sim` prints the pairs. A ratio below 0.1 is a cliff.
#include "sim/lab_sim.h"

#include <algorithm>
#include <cuda_pipeline.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BLOCKS = 64, THREADS = 128, WORDS = BLOCKS * THREADS, PASSES = 3 };

typedef unsigned long long wide;
template <class A, class B> struct parts {
    A is_there;
    int number;
    B column;
    double twice;
};
typedef parts<char, short> gaps_type;
typedef parts<int, long long> full_type;

static __device__ unsigned at(void)
{
    return blockIdx.x * THREADS + threadIdx.x;
}

// Each kernel gets zeros, 32 bytes a thread.
#define KERNEL(name, ...)                                                                          \
    static __global__ void name(char *data, int turns)                                             \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
// The compiler must not move accesses out of the loop.
#define TURNS(...)                                                                                 \
    for (int i = 0; i < turns; i++) {                                                              \
        __VA_ARGS__;                                                                               \
        asm volatile("" ::: "memory");                                                             \
    }

#define HALVES(TYPE, QUALIFIER)                                                                    \
    QUALIFIER unsigned *const half = (QUALIFIER unsigned *)data + 2 * at();                        \
    unsigned sum = 0;                                                                              \
    for (int i = 0; i < 2; i += sizeof(TYPE) / 4)                                                  \
        *(QUALIFIER TYPE *)(half + i) = i;                                                         \
    TURNS(sum += half[0] + half[1])                                                                \
    half[0] = sum;
KERNEL(halves, HALVES(wide, volatile))
KERNEL(volatile_words, HALVES(unsigned, volatile))
KERNEL(words, HALVES(unsigned, ))
#define COPIES(type)                                                                               \
    __shared__ type mine[THREADS];                                                                 \
    type *const all = (type *)data + at();                                                         \
    mine[threadIdx.x].is_there = mine[threadIdx.x].number = mine[threadIdx.x].column = 1;          \
    mine[threadIdx.x].twice = 2;                                                                   \
    TURNS(*all = mine[threadIdx.x]; __syncthreads())
KERNEL(gaps, COPIES(gaps_type))
KERNEL(no_gaps, COPIES(full_type))
#define ADDS(QUALIFIER)                                                                            \
    QUALIFIER unsigned *const word = (QUALIFIER unsigned *)data + at();                            \
    TURNS(*word += i)
KERNEL(volatile_adds, ADDS(volatile))
KERNEL(plain_adds, ADDS())
#define MEETS(MASK)                                                                                \
    __shared__ unsigned words[12000];                                                              \
    TURNS(words[threadIdx.x] = i; __syncwarp(MASK))                                                \
    ((unsigned *)data)[at()] = words[threadIdx.x];
KERNEL(part_meets, MEETS(0xffff << (threadIdx.x & 16)))
KERNEL(all_meet, MEETS(0xffffffff))
#define STORES(COPIES)                                                                             \
    __shared__ uint4 words[4][THREADS];                                                            \
    for (int i = 0; i < COPIES; i++)                                                               \
        __pipeline_memcpy_async(&words[i][threadIdx.x], data + 32 * at(), 16);                     \
    __pipeline_commit();                                                                           \
    TURNS(((unsigned *)data)[8 * at() + 4] = i + 1)                                                \
    __pipeline_wait_prior(0);
KERNEL(stores_beside_copies, STORES(4))
KERNEL(stores, STORES(0))
#define BARRIERS(SYNC)                                                                             \
    __shared__ unsigned word[THREADS];                                                             \
    TURNS(word[threadIdx.x] = i; SYNC; ((unsigned *)data)[at()] = word[threadIdx.x ^ 32]; SYNC)
KERNEL(named_barriers, BARRIERS(asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64)
                                             : "memory")))
KERNEL(barriers, BARRIERS(__syncthreads()))

// Each lane has memory of its own, or a part of its warp's.
#define ALLOCATES(LANES)                                                                           \
    const int lane = threadIdx.x % LANES;                                                          \
    unsigned *const mine = lane == 0 ? (unsigned *)malloc(64 * LANES) : NULL;                      \
    unsigned *const one = (unsigned *)__shfl_sync(~0u, (wide)mine, 0, LANES) + lane * 16;          \
    for (int more = 0; more < 10; more++)                                                          \
        TURNS(one[i % 16] = i)                                                                     \
    free(mine);
KERNEL(allocations, ALLOCATES(1))
KERNEL(one_allocation, ALLOCATES(32))

static const struct {
    const char *name;
    void (*with)(char *data, int turns), (*without)(char *data, int turns);
} pairs[] = {
    {"halves", halves, words},
    {"volatile_words", volatile_words, words},
    {"gaps", gaps, no_gaps},
    {"volatile_adds", volatile_adds, plain_adds},
    {"part_meets", part_meets, all_meet},
    {"stores_beside_copies", stores_beside_copies, stores},
    {"named_barriers", named_barriers, barriers},
    {"allocations", allocations, one_allocation},
};

// Million warp instructions a second of the processor.
static double speed_of(void (*kernel)(char *data, int turns))
{
    const auto get = (__typeof__(lab_sim_get_totals) *)dlsym(RTLD_DEFAULT, "lab_sim_get_totals");
    struct lab_sim_totals before, after;
    const clock_t start = clock();
    char *data;
    cudaMalloc(&data, 32 * WORDS);
    cudaMemset(data, 0, 32 * WORDS);
    get(&before);
    do {
        kernel<<<BLOCKS, THREADS>>>(data, 200);
    } while (cudaDeviceSynchronize() == cudaSuccess && clock() - start < CLOCKS_PER_SEC / 4);
    get(&after);
    cudaFree(data);
    return (after.warp_instructions - before.warp_instructions) * 1e-6 /
           ((double)(clock() - start) / CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
    printf("%-22s %10s %10s %8s\n", "check", "million/s", "without", "ratio");
    for (const auto &pair : pairs) {
        double with[PASSES], without[PASSES];
        if (argc > 1 && !strstr(pair.name, argv[1]))
            continue;
        for (int pass = 0; pass < PASSES; pass++) {
            with[pass] = speed_of(pair.with);
            without[pass] = speed_of(pair.without);
        }
        std::sort(with, with + PASSES);
        std::sort(without, without + PASSES);
        printf("%-22s %10.2f %10.2f %8.2f\n", pair.name, with[PASSES / 2], without[PASSES / 2],
               with[PASSES / 2] / without[PASSES / 2]);
    }
}
