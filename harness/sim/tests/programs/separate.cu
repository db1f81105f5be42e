// Separate compilation (-rdc=true): device functions, variables and constants of another file, and
// names that each file has for itself.
#include "separate/other.h"

#include <cstdio>

__device__ int both_use = 5;
__constant__ int factor;
static __device__ int mine = 1;

__global__ void sums(int *out)
{
    __shared__ int part[32];
    part[threadIdx.x] = plus_one((int)threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = twice(part[31 - threadIdx.x]) + mine + plus_mine((int)threadIdx.x);
    if (threadIdx.x == 0)
        printf("first %d\n", mine);
}

int main()
{
    int *out;
    const int ten = 10;
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMemcpyToSymbol(factor, &ten, sizeof ten);
    sums<<<1, 32>>>(out);
    add_product(out);
    cudaError_t error = cudaDeviceSynchronize();
    bool right = error == cudaSuccess;
    for (int i = 0; i < 32 && right; i++)
        right = out[i] == 2 * (32 - i) + 1 + (i + 1 + 2) + 2 * 10 * 5;
    printf("%s, %s\n", cudaGetErrorString(error), right ? "right" : "wrong");
    return !right;
}
