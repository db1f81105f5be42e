/* A sum by warp shuffles, shared memory and an atomic; votes and scans within a warp. */
#include <cstdio>

__device__ double warp_sum(double value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}

__global__ void sum(const double *x, int n, double *total)
{
    __shared__ double partial[32];
    double value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += x[i];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < (blockDim.x + 31) / 32 ? partial[threadIdx.x] : 0;
        value = warp_sum(value);
        if (threadIdx.x == 0)
            atomicAdd(total, value);
    }
}

/* Per warp: how many elements are odd, where the first one is, and running sums. */
__global__ void warps(const int *x, int *odd, int *first, int *running)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned votes = __ballot_sync(0xffffffffu, x[i] % 2);
    int value = x[i];
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step)
            value += other;
    }
    running[i] = value;
    if (lane == 0) {
        odd[i / 32] = __popc(votes);
        first[i / 32] = __ffs(votes) - 1;
    }
    if (!__any_sync(0xffffffffu, x[i] > 1000000))
        odd[i / 32] += 0;
}

int main()
{
    const int n = 100003, m = 256;
    static double x[n];
    static int y[m], odd[m / 32], first[m / 32], running[m];
    double expected = 0, total = 0, *device_x, *device_total;
    for (int i = 0; i < n; i++) {
        x[i] = (i * 7919 % 1000) / 8.0; /* sums of these are exact in any order */
        expected += x[i];
    }
    cudaMalloc(&device_x, sizeof x);
    cudaMalloc(&device_total, sizeof total);
    cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(device_total, 0, sizeof total);
    sum<<<20, 352>>>(device_x, n, device_total);
    cudaMemcpy(&total, device_total, sizeof total, cudaMemcpyDeviceToHost);
    int wrong = !(total == expected);

    int *device_y, *device_odd, *device_first, *device_running;
    for (int i = 0; i < m; i++)
        y[i] = i * 37 % 101;
    cudaMalloc(&device_y, sizeof y);
    cudaMalloc(&device_odd, sizeof odd);
    cudaMalloc(&device_first, sizeof first);
    cudaMalloc(&device_running, sizeof running);
    cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice);
    warps<<<2, 128>>>(device_y, device_odd, device_first, device_running);
    cudaMemcpy(odd, device_odd, sizeof odd, cudaMemcpyDeviceToHost);
    cudaMemcpy(first, device_first, sizeof first, cudaMemcpyDeviceToHost);
    cudaMemcpy(running, device_running, sizeof running, cudaMemcpyDeviceToHost);
    for (int warp = 0; warp < m / 32; warp++) {
        int count = 0, at = -1, total_here = 0;
        for (int lane = 0; lane < 32; lane++) {
            int i = warp * 32 + lane;
            count += y[i] % 2;
            at = at < 0 && y[i] % 2 ? lane : at;
            total_here += y[i];
            wrong += running[i] != total_here;
        }
        wrong += odd[warp] != count || first[warp] != at;
    }
    printf("reduction: %d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
    return wrong != 0;
}
