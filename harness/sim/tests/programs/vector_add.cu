/* Pinned memory, streams, events, host callbacks and a kernel template: c = a + b in four pieces.
 */
#include <cstdio>

template <typename T> __global__ void add(const T *a, const T *b, T *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

static void CUDART_CB count_up(void *counter)
{
    ++*static_cast<int *>(counter);
}

template <typename T> static int run(int n)
{
    const int pieces = 4, length = n / pieces;
    T *a, *b, *c, *device_a, *device_b, *device_c;
    cudaMallocHost(&a, n * sizeof(T));
    cudaMallocHost(&b, n * sizeof(T));
    cudaHostAlloc(&c, n * sizeof(T), cudaHostAllocDefault);
    cudaMalloc(&device_a, n * sizeof(T));
    cudaMalloc(&device_b, n * sizeof(T));
    cudaMalloc(&device_c, n * sizeof(T));
    for (int i = 0; i < n; i++) {
        a[i] = T(i);
        b[i] = T(3 * i + 1);
        c[i] = T(-1);
    }
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    int called = 0;
    for (int piece = 0; piece < pieces; piece++) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        int at = piece * length;
        size_t bytes = length * sizeof(T);
        cudaMemcpyAsync(device_a + at, a + at, bytes, cudaMemcpyHostToDevice, stream);
        cudaMemcpyAsync(device_b + at, b + at, bytes, cudaMemcpyHostToDevice, stream);
        add<<<(length + 127) / 128, 128, 0, stream>>>(device_a + at, device_b + at, device_c + at,
                                                      length);
        cudaMemcpyAsync(c + at, device_c + at, bytes, cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, count_up, &called);
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, start, stop);
    int wrong = !(milliseconds > 0) + (called != pieces) + (cudaGetLastError() != cudaSuccess);
    for (int i = 0; i < n; i++)
        wrong += c[i] != T(4 * i + 1);
    return wrong;
}

int main()
{
    int wrong = run<int>(10000) + run<float>(4000) + run<double>(1028) + run<short>(100);
    printf("vector_add: %d wrong\n", wrong);
    return wrong != 0;
}
