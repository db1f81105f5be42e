// The other translation unit of separate.cu.
#include "other.h"

#include <cstdio>

static __device__ int mine = 2; // another one than that of separate.cu
static __device__ const char *word = "second";

__device__ __noinline__ int twice(int x)
{
    return 2 * x;
}

__device__ __noinline__ int plus_mine(int x)
{
    return plus_one(x) + mine;
}

static __global__ void product(int *out)
{
    out[threadIdx.x] += 2 * factor * both_use;
    if (threadIdx.x == 0)
        printf("%s %d\n", word, mine);
}

void add_product(int *out)
{
    product<<<1, 32>>>(out);
}
