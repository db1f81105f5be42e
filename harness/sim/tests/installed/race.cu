// Sums a block's numbers in shared memory, but forgets to wait between two rounds: a race.
#include <cstdio>
#include <dlfcn.h>
#include <lab_sim.h>

__global__ void sum(const float *in, float *out)
{
    __shared__ float part[256];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2)
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half]; // BUG: no __syncthreads() after a round
    if (threadIdx.x == 0)
        *out = part[0];
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(in, 0, 256 * sizeof *in);
    sum<<<1, 256>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));

    // A GPU's runtime has no such function.
    auto outcome = (decltype(&lab_sim_last_outcome))dlsym(RTLD_DEFAULT, "lab_sim_last_outcome");
    if (outcome && outcome()->status == SIM_RACE)
        printf("a race in line %d\n", outcome()->line);
    return error != cudaSuccess;
}
