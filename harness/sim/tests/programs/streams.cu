// Kernels of two streams: those that use one array in no order stop, those that an event joins,
// that read, or that add atomically do not. The simulator's message names both.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "sim/lab_sim.h"

enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };

static __global__ void fill(float *x)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < N)
        x[i] = (float)i;
}

static __global__ void scale(const float *from, double *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < N)
        to[i] = 2.0 * from[i];
}

static __global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

static __global__ void look(const int *counter, int *seen)
{
    *seen = *counter;
}

static float *x;
static double *y;
static int *counter;
static cudaStream_t one, two;
static cudaEvent_t event;

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorName(status));
    exit(1);
}

static void begin()
{
    must(cudaDeviceReset(), "reset");
    must(cudaMalloc(&x, N * sizeof *x), "malloc");
    must(cudaMalloc(&y, N * sizeof *y), "malloc");
    must(cudaMalloc(&counter, 2 * sizeof *counter), "malloc");
    must(cudaStreamCreate(&one), "stream");
    must(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking), "stream");
    must(cudaEventCreate(&event), "event");
    must(cudaMemset(x, 0, N * sizeof *x), "memset");
    must(cudaMemset(counter, 0, 2 * sizeof *counter), "memset");
    must(cudaDeviceSynchronize(), "begin");
}

static void expect_race(const char *said, const char *said_too)
{
    typedef const struct sim_outcome *outcome();
    outcome *const last = (outcome *)dlsym(RTLD_DEFAULT, "lab_sim_last_outcome");
    if (cudaDeviceSynchronize() == cudaErrorLaunchFailure && last()->status == SIM_RACE &&
        strstr(last()->message, said) && strstr(last()->message, said_too))
        return;
    printf("no race with \"%s\" and \"%s\": %s\n", said, said_too, last()->message);
    exit(1);
}

int main()
{
    typedef void quiet(int);
    ((quiet *)dlsym(RTLD_DEFAULT, "lab_sim_set_quiet"))(1);

    begin(); // an event
    fill<<<BLOCKS, THREADS, 0, one>>>(x);
    must(cudaEventRecord(event, one), "record");
    must(cudaStreamWaitEvent(two, event, 0), "wait");
    scale<<<BLOCKS, THREADS, 0, two>>>(x, y);
    scale<<<BLOCKS, THREADS, 0, one>>>(x, y); // which writes what the other one writes
    expect_race("race on element 0 of the allocation of 8000 bytes: scale(float const*, double*)",
                "in stream 3 writes it; no event puts the two in order");

    begin(); // no event
    fill<<<BLOCKS, THREADS, 0, one>>>(x);
    scale<<<BLOCKS, THREADS, 0, two>>>(x, y);
    expect_race("fill(float*) in stream", "scale(float const*, double*) in stream");

    begin(); // a read first
    scale<<<BLOCKS, THREADS, 0, two>>>(x, y);
    must(cudaMemsetAsync(x + 500, 0, 4, two), "memset");
    fill<<<BLOCKS, THREADS, 0, one>>>(x);
    expect_race("reads it, and fill(float*)", "writes it;");

    begin(); // what both add to
    count<<<2, 32, 0, one>>>(counter);
    count<<<2, 32, 0, two>>>(counter);
    must(cudaStreamSynchronize(one), "counts");
    look<<<1, 1, 0, one>>>(counter, counter + 1);
    expect_race("count(int*) in stream", "reads it;");

    begin(); // what both read
    fill<<<BLOCKS, THREADS, 0, one>>>(x);
    must(cudaStreamSynchronize(one), "fill");
    look<<<1, 1, 0, one>>>((const int *)x, counter);
    look<<<1, 1, 0, two>>>((const int *)x, counter + 1);
    must(cudaDeviceSynchronize(), "reads");
    return 0;
}
