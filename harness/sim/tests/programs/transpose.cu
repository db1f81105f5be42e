/* Pitched memory, 2-D copies, 2-D blocks, and more than 48 KiB of dynamic shared memory. */
#include <cstdio>

const int TILE = 32;

__global__ void transpose(const float *from, size_t from_pitch, float *to, size_t to_pitch,
                          int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (x < columns && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * from_pitch + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (x < rows && y + k < columns)
            to[(y + k) * to_pitch + x] = tile[threadIdx.x][threadIdx.y + k];
}

/* Reverses n values through shared memory that is only known at launch. */
__global__ void reverse(double *values, int n)
{
    extern __shared__ double buffer[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        buffer[i] = values[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] = buffer[n - 1 - i];
}

int main()
{
    const int rows = 71, columns = 100;
    static float matrix[rows][columns], result[columns][rows];
    float *from, *to;
    size_t from_pitch, to_pitch;
    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            matrix[i][j] = float(i * 1000 + j);
    cudaMallocPitch(&from, &from_pitch, columns * sizeof(float), rows);
    cudaMallocPitch(&to, &to_pitch, rows * sizeof(float), columns);
    cudaMemcpy2D(from, from_pitch, matrix, sizeof matrix[0], sizeof matrix[0], rows,
                 cudaMemcpyHostToDevice);
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, 8);
    transpose<<<grid, block>>>(from, from_pitch / sizeof(float), to, to_pitch / sizeof(float), rows,
                               columns);
    cudaMemcpy2D(result, sizeof result[0], to, to_pitch, sizeof result[0], columns,
                 cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            wrong += result[j][i] != matrix[i][j];

    const int n = 8000;
    static double values[n];
    double *device;
    for (int i = 0; i < n; i++)
        values[i] = i;
    cudaMalloc(&device, sizeof values);
    cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
    reverse<<<1, 256, sizeof values>>>(device, n);
    wrong += cudaGetLastError() != cudaErrorInvalidValue; /* not without asking */
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof values);
    reverse<<<1, 256, sizeof values>>>(device, n);
    cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        wrong += values[i] != n - 1 - i;
    printf("transpose: %d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
    return wrong != 0;
}
