// --- a main of its own ---------------------------------------------------------------------------

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program with one line if a call failed.
static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(3);
}

// A size from the command line, or `otherwise`.
static int size_of(int argc, char **argv, int place, int otherwise)
{
    const int size = argc > place ? atoi(argv[place]) : otherwise;
    if (size >= 1)
        return size;
    fprintf(stderr, "%s: a size must be a whole number from 1 on\n", argv[place]);
    exit(2);
}

// The next number of a sequence in [-1, 1), which is the same in every run.
static double next_random()
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 33) / (1ull << 30) - 1.0;
}

static void *on_host(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory)
        return memory;
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(3);
}

template <class T> static T *random_values(size_t count)
{
    T *values = (T *)on_host(count * sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = (T)next_random();
    return values;
}

// Device memory with a copy of `values`, or with NaN in all of it.
static void *on_device(const void *values, size_t bytes)
{
    void *memory = NULL;
    must(cudaMalloc(&memory, bytes), "device memory");
    must(values ? cudaMemcpy(memory, values, bytes, cudaMemcpyHostToDevice)
                : cudaMemset(memory, 0xFF, bytes),
         "device memory");
    return memory;
}

// The elements of an output that are checked: all if they are few, else 4096 with the first and the
// last.
struct sample {
    size_t elements;

    size_t count() const
    {
        return elements < 4096 ? elements : 4096;
    }
    size_t place(size_t i) const
    {
        return elements <= 4096 ? i : (size_t)((double)i / 4095.0 * (double)(elements - 1));
    }
};

static int compare_times(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// A graph of what a variant enqueues; NULL: it is launched without one.
static cudaGraphExec_t capture(const struct lab_variant *variant, const void *problem)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    if (!(variant->flags & LAB_GRAPH))
        return NULL;
    must(cudaStreamCreate(&stream), "stream");
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    must(variant->launch(problem, stream), variant->name);
    must(cudaStreamEndCapture(stream, &graph), "capture");
    must(cudaGraphInstantiate(&executable, graph, 0), "graph");
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return executable;
}

static float time_once(const struct lab_variant *variant, const void *problem,
                       cudaGraphExec_t graph, void (*reset)(void))
{
    cudaEvent_t start, stop;
    float ms;
    reset();
    must(cudaEventCreate(&start), "event");
    must(cudaEventCreate(&stop), "event");
    must(cudaEventRecord(start, NULL), "event");
    must(graph ? cudaGraphLaunch(graph, NULL) : variant->launch(problem, NULL), variant->name);
    must(cudaEventRecord(stop, NULL), "event");
    must(cudaEventSynchronize(stop), variant->name);
    must(cudaEventElapsedTime(&ms, start, stop), "event");
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return ms;
}

// Whether a variant solves the problem at hand; NULL: all do.
static bool (*variant_fits)(const struct lab_variant *variant);

// Checks and times every variant that fits; returns the program's exit status. `workspace` is a
// member of the problem. reset() restores the outputs before a launch, and wrong() says how many of
// the checked elements are wrong.
static int run_variants(const void *problem, void **workspace, double operations,
                        void (*reset)(void), size_t (*wrong)(void))
{
    int failed = 0;
    printf("%-32s %12s %10s  check\n", "variant", "time ms", "GFLOPS");
    for (int i = 0; i < lab_step.variant_count; ++i) {
        const struct lab_variant *variant = &lab_step.variants[i];
        if (variant_fits && !variant_fits(variant))
            continue;
        const size_t bytes = variant->workspace ? variant->workspace(problem) : 0;
        float times[9];
        if (strncmp(variant->name, "cublas", 6) == 0) {
            printf("%-32s %12s %10s  left out: needs cuBLAS\n", variant->name, "", "");
            continue;
        }
        *workspace = bytes ? on_device(NULL, bytes) : NULL;
        reset();
        must(variant->launch(problem, NULL), variant->name);
        must(cudaDeviceSynchronize(), variant->name);
        const size_t bad = wrong();
        const cudaGraphExec_t graph = capture(variant, problem);
        int count = 0; // number of times: few if a launch takes long
        for (float sum = 0.0f; count < 9 && sum < 2000.0f; ++count)
            sum += times[count] = time_once(variant, problem, graph, reset);
        qsort(times, count, sizeof *times, compare_times);
        printf("%-32s %12.4f ", variant->name, times[count / 2]);
        if (operations > 0.0)
            printf("%10.0f  ", operations / times[count / 2] * 1e-6);
        else // only memory counts
            printf("%10s  ", "");
        if (bad)
            printf("wrong: %zu elements\n", bad);
        else
            printf("ok\n");
        failed += bad != 0;
        if (graph)
            cudaGraphExecDestroy(graph);
        cudaFree(*workspace);
    }
    return failed ? 1 : 0;
}
