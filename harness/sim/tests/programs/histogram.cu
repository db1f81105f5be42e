/* Atomics in shared and global memory, constant memory, and variables of the device. */
#include <cstdio>
#include <cstring>

const int BINS = 64;

__constant__ unsigned char bin_of[256]; /* which bin a byte belongs to */
__constant__ float weights[BINS] = {0.5f, 0.25f};
__device__ unsigned processed;
__device__ int largest = -5, smallest = 1000000;
__device__ unsigned long long tickets[2];

__global__ void histogram(const unsigned char *data, int n, unsigned *counts)
{
    __shared__ unsigned local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[bin_of[data[i]]], 1u);
        atomicMax(&largest, int(data[i]));
        atomicMin(&smallest, int(data[i]));
        atomicInc(&processed, 0xffffffffu);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&counts[i], local[i]);
}

/* A product by compare-and-swap, which only works if the loop retries. */
__global__ void multiply(float *product)
{
    int *bits = reinterpret_cast<int *>(product), seen = *bits, expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __float_as_int(__int_as_float(expected) * 2.0f));
    } while (seen != expected);
    atomicExch(&tickets[threadIdx.x % 2], 1ull << 40);
    atomicOr(&tickets[threadIdx.x % 2], 1ull << (threadIdx.x / 2));
}

__global__ void weigh(const unsigned *counts, float *result)
{
    result[threadIdx.x] = counts[threadIdx.x] * weights[threadIdx.x];
}

int main()
{
    const int n = 50000;
    static unsigned char data[n], table[256];
    unsigned expected[BINS] = {0}, counts[BINS], done = 0, *device_counts;
    unsigned char *device_data;
    for (int i = 0; i < 256; i++)
        table[i] = static_cast<unsigned char>(i * 5 % BINS);
    for (int i = 0; i < n; i++) {
        data[i] = static_cast<unsigned char>(i * 31 / 7 + i / 256) / 2 + 3;
        expected[table[data[i]]]++;
    }
    cudaMemcpyToSymbol(bin_of, table, sizeof table);
    cudaMalloc(&device_data, n);
    cudaMalloc(&device_counts, sizeof counts);
    cudaMemcpy(device_data, data, n, cudaMemcpyHostToDevice);
    cudaMemset(device_counts, 0, sizeof counts);
    histogram<<<7, 160>>>(device_data, n, device_counts);
    cudaMemcpy(counts, device_counts, sizeof counts, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&done, processed, sizeof done);
    int high, low, wrong = done != unsigned(n);
    cudaMemcpyFromSymbol(&high, largest, sizeof high);
    cudaMemcpyFromSymbol(&low, smallest, sizeof low);
    wrong += high != 130 || low != 3;
    for (int i = 0; i < BINS; i++)
        wrong += counts[i] != expected[i];

    float product = 1, weighed[BINS], *device_product;
    cudaMalloc(&device_product, sizeof weighed);
    cudaMemcpy(device_product, &product, sizeof product, cudaMemcpyHostToDevice);
    multiply<<<2, 40>>>(device_product);
    cudaMemcpy(&product, device_product, sizeof product, cudaMemcpyDeviceToHost);
    wrong += product != 1208925819614629174706176.0f; /* 2^80 */
    weigh<<<1, BINS>>>(device_counts, device_product);
    cudaMemcpy(weighed, device_product, sizeof weighed, cudaMemcpyDeviceToHost);
    wrong += weighed[0] != counts[0] * 0.5f || weighed[1] != counts[1] * 0.25f || weighed[2] != 0;
    printf("histogram: %d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
    return wrong != 0;
}
