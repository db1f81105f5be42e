// What test_exec starts: does what its argument says, and ends well without one.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *out, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = i;
}

__global__ void add(const int *in, int *out)
{
    *out += in[threadIdx.x]; // a race: all threads of the block
}

// What may be harmless: no value that these find decides anything.
__global__ void read_global(const int *in, int *out)
{
    out[threadIdx.x] = max(in[threadIdx.x], 0);
}

__global__ void read_shared(int *out)
{
    __shared__ int part[64];
    out[threadIdx.x] = max(part[threadIdx.x], 0);
}

__global__ void read_local(const int *in, int *out)
{
    int own[8];
    own[in[threadIdx.x] & 7] = 1;
    out[threadIdx.x] = max(own[in[threadIdx.x + 1] & 7], 0);
}

__global__ void read_from(const int *in, int first, int *out)
{
    const int value = in[first + (int)threadIdx.x];
    out[threadIdx.x] = value < 0 ? 1 : value;
}

__global__ void read_pairs(const int2 *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x].x + in[threadIdx.x].y;
}

__global__ void write_one(int *out)
{
    out[0] = 1;
}

// As in a well-known sample: no fence stands after the count, which tells the last block.
__device__ unsigned arrived;
__global__ void sum_in_the_last(int *out)
{
    if (threadIdx.x > 0)
        return;
    out[1 + blockIdx.x] = 1;
    __threadfence();
    if (atomicInc(&arrived, gridDim.x) < gridDim.x - 1)
        return;
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
        sum += out[1 + i];
    out[0] = sum;
}

#define READ(i) out[threadIdx.x] = max(in[32 * (i) + (int)threadIdx.x], 0)
__global__ void read_often(const int *in, int *out)
{
    READ(0);
    READ(1);
    READ(2);
    READ(3);
    READ(4);
    READ(5);
    READ(6);
    READ(7);
    READ(8);
    READ(9);
    READ(10);
    READ(11);
}

// Until the host has written, which it does after the launch.
__global__ void wait_for_host(const volatile int *flag)
{
    while (*flag == 0)
        continue;
}

// Prints the sum of a launch's 32 results, if there is one.
static void print(const int *device)
{
    int host[32], sum = 0;
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    for (int i = 0; i < 32; i++)
        sum += host[i];
    printf("sum %d\n", sum);
}

static void do_what_may_be_harmless(const char *what, int *data)
{
    int *unwritten = NULL, *odd = NULL;
    cudaMalloc(&unwritten, 4096);
    cudaMalloc(&odd, 63 * sizeof *odd);
    cudaMemcpy(odd, data, 63 * sizeof *odd, cudaMemcpyDeviceToDevice);
    if (strcmp(what, "global") == 0)
        read_global<<<1, 32>>>(unwritten, data);
    else if (strcmp(what, "shared") == 0)
        read_shared<<<1, 64>>>(data);
    else if (strcmp(what, "local") == 0)
        read_local<<<1, 32>>>(data, unwritten);
    else if (strcmp(what, "over") == 0)
        read_from<<<1, 32>>>(odd, 40, data);
    else if (strcmp(what, "pairs") == 0)
        read_pairs<<<1, 32>>>((const int2 *)odd, data);
    else if (strcmp(what, "far") == 0)
        read_from<<<1, 32>>>(odd, 1 << 20, data);
    else if (strcmp(what, "null") == 0)
        read_from<<<1, 32>>>(NULL, 4, data);
    else if (strcmp(what, "same") == 0)
        write_one<<<2, 32>>>(data);
    else if (strcmp(what, "last") == 0)
        sum_in_the_last<<<31, 32>>>(data);
    else if (strcmp(what, "often") == 0)
        read_often<<<1, 32>>>(unwritten, data);
    else
        return;
    print(data);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int *data = NULL;
    pid_t child = 0;
    cudaMalloc(&data, 96 * sizeof *data);
    fill<<<2, 32>>>(data, 64);
    fill<<<1, 64>>>(data, 64);
    if (strcmp(what, "race") == 0)
        add<<<1, 32>>>(data, data + 32);
    if (strcmp(what, "beyond") == 0)
        fill<<<4, 32>>>(data, 128);
    if (strcmp(what, "fork") == 0 && (child = fork()) == 0)
        fill<<<1, 64>>>(data, 64);
    if (strcmp(what, "host") == 0) {
        int *flag = NULL;
        cudaMallocHost(&flag, sizeof *flag);
        *flag = 0;
        wait_for_host<<<1, 1>>>(flag);
        *flag = 1;
    }
    if (strcmp(what, "copy") == 0)
        print(data + 64);
    if (strcmp(what, "fails") == 0 || strcmp(what, "looks") == 0)
        cudaSetDevice(7);
    if (strcmp(what, "looks") == 0)
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    do_what_may_be_harmless(what, data);
    cudaDeviceSynchronize(); // its result is not looked at
    if (strcmp(what, "crash") == 0)
        printf("%d\n", data[0]);
    if (strcmp(what, "abort") == 0)
        abort();
    if (child > 0)
        waitpid(child, NULL, 0);
    for (int i = 2; i < argc; i++)
        printf("%s\n", argv[i]);
    return strcmp(what, "exit") == 0 ? atoi(argv[2]) : 0;
}
