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

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int *data = NULL;
    pid_t child = 0;
    cudaMalloc(&data, 64 * sizeof *data);
    fill<<<2, 32>>>(data, 64);
    fill<<<1, 64>>>(data, 64);
    if (strcmp(what, "race") == 0)
        add<<<1, 32>>>(data, data + 32);
    if (strcmp(what, "beyond") == 0)
        fill<<<3, 32>>>(data, 96);
    if (strcmp(what, "fork") == 0 && (child = fork()) == 0)
        fill<<<1, 64>>>(data, 64);
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
