// Cooperative launches: all blocks meet at the barrier of the grid, as often as they call it. What
// was written before may be read behind it; without it that is a race. A block that never comes,
// too many blocks, and a launch that is not cooperative end with a message.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "sim/lab_sim.h"

namespace cg = cooperative_groups;

enum { THREADS = 128, MOST_BLOCKS = 600, ROUNDS = 3 };

// Each round, each block adds what all had before: block 0 has 1, the others nothing, so that after
// a round all have 1, after two the number of blocks, and so on.
static __global__ void add_all(int *from, int *to, int leaver)
{
    const cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < ROUNDS; ++round) {
        if ((int)blockIdx.x == leaver)
            return;
        if (threadIdx.x == 0) {
            int sum = 0;
            for (unsigned b = 0; b < gridDim.x; ++b)
                sum += from[b];
            to[blockIdx.x] = sum;
        }
        int *const old = from;
        from = to;
        to = old;
        grid.sync();
    }
}

// One thread a block; the write of the others is not waited for.
static __global__ void no_barrier(int *x)
{
    x[blockIdx.x] = (int)blockIdx.x + 7;
    if (x[(blockIdx.x + 1) % gridDim.x] == 2)
        x[blockIdx.x] = 3;
}

// The same behind barriers: what they order came before. `early` writes between the barrier's
// halves.
static __global__ void late_race(int *x, int early)
{
    const cg::grid_group grid = cg::this_grid();
    grid.sync();
    grid.sync();
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    if (early && threadIdx.x == 0)
        x[blockIdx.x] = (int)blockIdx.x + 7;
    grid.barrier_wait(std::move(token));
    if (!early && threadIdx.x == 0)
        x[blockIdx.x] = (int)blockIdx.x + 7;
    if (threadIdx.x == 0 && x[(blockIdx.x + 1) % gridDim.x] == 2)
        x[MOST_BLOCKS] = 3;
    grid.sync();
}

// The first block polls what the last one sets late, while the others wait at the barrier.
static __global__ void late_flag(int *flag, int *sum, int steps)
{
    if (blockIdx.x == 0)
        while (atomicAdd(flag, 0) < 2)
            ;
    if (blockIdx.x == gridDim.x - 1) {
        for (int i = 0; i < steps; ++i)
            *sum = *sum * 3 + i;
        __threadfence();
        atomicExch(flag, 2);
    }
    cg::this_grid().sync();
}

// Arrives early, waits late.
static __global__ void split_barrier(int *x, int *right)
{
    const cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0)
        x[blockIdx.x] = (int)blockIdx.x;
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    const bool has_rank = grid.thread_rank() == blockIdx.x * blockDim.x + threadIdx.x &&
                          grid.size() == gridDim.x * blockDim.x && grid.is_valid();
    grid.barrier_wait(std::move(token));
    const unsigned next = (blockIdx.x + 1) % gridDim.x;
    if (threadIdx.x == 0 && has_rank && x[next] == (int)next)
        atomicAdd(right, 1);
}

// Each round counts anew what was read in the round before: no number is drawn by that read.
static __global__ void count_anew(int *count, double *sum)
{
    const cg::grid_group grid = cg::this_grid();
    const bool is_first = grid.thread_rank() == 0;
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        atomicAdd(sum, 0.5);
    }
    grid.sync();
    int seen = *count;
    double total = *sum;
    for (int round = 0; round < ROUNDS && seen > 0 && total > 0.0; ++round) {
        if (is_first) {
            count[1] += seen;
            sum[1] += total;
        }
        grid.sync();
        if (is_first) {
            *count = 0;
            *sum = 0.0;
        }
        grid.sync();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1);
            atomicAdd(sum, 0.5);
        }
        grid.sync();
        seen = *count;
        total = *sum;
        grid.sync();
    }
}

static int *memory; // twice as many as blocks

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorName(status));
    exit(1);
}

static void begin()
{
    const int one = 1;
    must(cudaDeviceReset(), "reset");
    must(cudaMalloc(&memory, 2 * MOST_BLOCKS * sizeof *memory), "malloc");
    must(cudaMemset(memory, 0, 2 * MOST_BLOCKS * sizeof *memory), "memset");
    must(cudaMemcpy(memory, &one, sizeof one, cudaMemcpyHostToDevice), "copy");
}

static cudaError_t launch(int blocks, int leaver, cudaStream_t stream)
{
    int *from = memory, *to = memory + MOST_BLOCKS;
    void *arguments[] = {&from, &to, &leaver};
    return cudaLaunchCooperativeKernel(add_all, blocks, THREADS, arguments, 0, stream);
}

static void expect_sums(int blocks)
{
    static int got[MOST_BLOCKS];
    must(cudaMemcpy(got, memory + (ROUNDS % 2 ? MOST_BLOCKS : 0), blocks * sizeof *got,
                    cudaMemcpyDeviceToHost),
         "sums");
    for (int b = 0; b < blocks; ++b)
        if (got[b] != blocks * blocks) {
            printf("%d blocks: block %d has %d\n", blocks, b, got[b]);
            exit(1);
        }
}

typedef const struct sim_outcome *last_outcome();
static last_outcome *const last = (last_outcome *)dlsym(RTLD_DEFAULT, "lab_sim_last_outcome");

static void expect(enum sim_status status, const char *said)
{
    if (last()->status == status && strstr(last()->message, said))
        return;
    printf("not \"%s\": %s\n", said, last()->message);
    exit(1);
}

int main()
{
    typedef void quiet(int);
    ((quiet *)dlsym(RTLD_DEFAULT, "lab_sim_set_quiet"))(1);
    uint64_t instructions[2];

    const int counts[] = {1, 2, 33, MOST_BLOCKS, MOST_BLOCKS};
    for (int i = 0; i < 5; ++i) {
        begin();
        must(launch(counts[i], -1, 0), "launch");
        must(cudaDeviceSynchronize(), "run");
        expect_sums(counts[i]);
        instructions[i % 2] = last()->warp_instructions;
    }
    if (instructions[0] != instructions[1]) { // however long blocks wait
        printf("%llu and %llu instructions\n", (unsigned long long)instructions[0],
               (unsigned long long)instructions[1]);
        return 1;
    }

    begin(); // in a graph
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    must(cudaStreamCreate(&stream), "stream");
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    must(launch(33, -1, stream), "launch");
    must(cudaStreamEndCapture(stream, &graph), "end of capture");
    must(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    must(cudaGraphLaunch(executable, stream), "launch of the graph");
    must(cudaStreamSynchronize(stream), "graph");
    expect_sums(33);

    begin(); // by an attribute
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 17;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int right = 0;
    must(cudaLaunchKernelEx(&config, split_barrier, memory, memory + MOST_BLOCKS), "launch");
    must(cudaMemcpy(&right, memory + MOST_BLOCKS, sizeof right, cudaMemcpyDeviceToHost), "right");
    if (right != 17) {
        printf("split: %d blocks right\n", right);
        return 1;
    }

    begin(); // a number that is read, and counted anew behind a barrier
    double *sum = (double *)(memory + MOST_BLOCKS);
    void *counted[] = {&memory, &sum};
    must(cudaLaunchCooperativeKernel(count_anew, 33, 64, counted, 0, 0), "launch");
    must(cudaDeviceSynchronize(), "counted anew");

    begin(); // all that fit, and one more
    int sms, each, is_there;
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
    must(cudaDeviceGetAttribute(&is_there, cudaDevAttrCooperativeLaunch, 0), "attribute");
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, add_all, THREADS, 0), "blocks");
    if (!is_there || launch(sms * each + 1, -1, 0) != cudaErrorCooperativeLaunchTooLarge) {
        printf("%d blocks are launched\n", sms * each + 1);
        return 1;
    }
    expect(SIM_BAD_LAUNCH, "all have to run at the same time");

    begin(); // a block that leaves, at the first barrier
    launch(MOST_BLOCKS, 5, 0);
    cudaDeviceSynchronize();
    expect(SIM_TIMEOUT, "block (5, 0, 0) has ended without it");

    begin(); // no barrier; in some orders of threads a warning comes before the race
    if (!freopen("/dev/null", "w", stderr))
        return 1;
    void *arguments[] = {&memory};
    cudaLaunchCooperativeKernel(no_barrier, 33, 1, arguments, 0, 0);
    cudaDeviceSynchronize();
    expect(SIM_RACE, "race on");

    for (int i = 0; i < 40; ++i) { // nor behind barriers, where all others sleep
        begin();
        int early = i % 2;
        void *late[] = {&memory, &early};
        cudaLaunchCooperativeKernel(late_race, 16, 64, late, 0, 0);
        cudaDeviceSynchronize();
        expect(SIM_RACE, "a sync() of the grid between the two is missing");
    }

    for (int i = 0; i < 20; ++i) { // blocks that poll need no more threads
        begin();
        int *sum = memory + MOST_BLOCKS, steps = 100000;
        void *late[] = {&memory, &sum, &steps};
        must(cudaLaunchCooperativeKernel(late_flag, i % 2 ? 8 : 64, 1, late, 0, 0), "launch");
        must(cudaDeviceSynchronize(), "late flag");
    }

    begin(); // not cooperative
    add_all<<<2, THREADS>>>(memory, memory + MOST_BLOCKS, -1);
    cudaDeviceSynchronize();
    expect(SIM_TRAP, "cudaLaunchCooperativeKernel");
    return 0;
}
