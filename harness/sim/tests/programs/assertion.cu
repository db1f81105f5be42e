/* printf and assert in a kernel. The text must come out once, and the assertion must stick. */
#include <cassert>
#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void say(int base)
{
    printf("thread %d of block %u: %5.2f %s %llx %c%%\n", base + int(threadIdx.x), blockIdx.x,
           threadIdx.x / 4.0, threadIdx.x ? "yes" : "no", 0x123456789abcull, 'x');
}

__global__ void check(const int *values)
{
    assert(values[threadIdx.x] >= 0);
}

int main()
{
    /* What a kernel prints goes to a file, to be read back. */
    char path[] = "/tmp/assertion-XXXXXX", text[512] = "";
    int file = mkstemp(path), before = dup(1);
    fflush(stdout);
    dup2(file, 1);
    say<<<1, 2>>>(40);
    cudaDeviceSynchronize();
    fflush(stdout);
    dup2(before, 1);
    lseek(file, 0, SEEK_SET);
    int wrong = read(file, text, sizeof text - 1) < 0;
    unlink(path);
    const char *expected = "thread 40 of block 0:  0.00 no 123456789abc x%\n"
                           "thread 41 of block 0:  0.25 yes 123456789abc x%\n";
    wrong += strcmp(text, expected) != 0;

    int values[] = {1, 2, 3, 4}, *device;
    cudaMalloc(&device, sizeof values);
    cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
    check<<<1, 4>>>(device);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    values[2] = -1;
    cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
    check<<<1, 4>>>(device);
    wrong += cudaDeviceSynchronize() != cudaErrorAssert;
    wrong += cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost) != cudaErrorAssert;
    wrong += cudaGetLastError() != cudaErrorAssert;
    printf("assertion: %d wrong\n%s", wrong, wrong ? text : "");
    return wrong != 0;
}
