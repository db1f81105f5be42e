// Dynamic parallelism: kernels that launch kernels, copy and fill; in which order that is done, and
// what it sees. Then graphs whose kernels decide what runs, and graphs that allocate.
#include <cstdio>

static int failures;
#define EXPECT(condition)                                                                          \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            failures++;                                                                            \
        }                                                                                          \
    while (0)

enum { THREADS = 32, BLOCKS = 3, DEPTH = 3 };

struct mixed {
    char letter;
    double number;
    int three[3];
};

__global__ void take(char small, mixed whole, int *out, short last)
{
    extern __shared__ int shared[];
    shared[threadIdx.x] = small + whole.letter + (int)whole.number + whole.three[2] + last;
    __syncthreads();
    atomicAdd(&out[blockIdx.y], shared[blockDim.x - 1 - threadIdx.x]);
}

// Parameters of all sizes, a grid of two dimensions, dynamic shared memory, many launches a block.
__global__ void launch_each(int *out)
{
    const mixed whole = {2, 30.5, {0, 0, (int)threadIdx.x}};
    take<<<dim3(1, 2), 4, 4 * sizeof(int)>>>(1, whole, out + 2 * blockIdx.x, 5);
}

// Each thread of each block launches two blocks of two threads, down to a depth.
__global__ void recurse(int *count, int depth)
{
    atomicAdd(&count[depth], 1);
    if (depth + 1 < DEPTH)
        recurse<<<2, 2>>>(count, depth + 1);
}

__global__ void add(int *to, const int *from, int value)
{
    to[threadIdx.x] = from[threadIdx.x] * 10 + value;
}

// In one stream a launch, a fill and a copy come one after the other, and after what was stored
// before.
__global__ void in_order(int *a, int *b, int *c)
{
    a[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    add<<<1, THREADS>>>(a, a, 2);
    cudaMemcpyAsync(b, a, THREADS * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    add<<<1, THREADS>>>(a, b, 3);
    cudaMemsetAsync(b, 0, 4 * sizeof(int), 0); // an H200 takes any value for 0
    cudaMemcpy2DAsync(c, 2 * sizeof(int), a, sizeof(int), sizeof(int), THREADS,
                      cudaMemcpyDeviceToDevice, 0);
    cudaMemset2DAsync(c + 1, 2 * sizeof(int), 0, sizeof(int), THREADS, 0);
}

__global__ void note(int *list, int what)
{
    list[1 + atomicAdd(list, 1)] = what;
}

__global__ void note_twice(int *list)
{
    note<<<1, 1>>>(list, 2);
    note<<<1, 1>>>(list, 3);
}

// A tail launch comes after all else, and what a child launches belongs to the child.
__global__ void with_a_tail(int *list)
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 5);
    note_twice<<<1, 1>>>(list);
    note<<<1, 1>>>(list, 4);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 6);
}

__global__ void with_streams(int *out)
{
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    add<<<1, THREADS, 0, stream>>>(out, out, 1);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    add<<<1, THREADS, 0, other>>>(out, out, 2);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    add<<<1, THREADS, 0, cudaStreamFireAndForget>>>(out + THREADS, out + THREADS, 3);
}

// What a launch of no shape gives is the thread's own error.
__global__ void refused(int *errors, int *out)
{
    add<<<threadIdx.x, 32>>>(out, out, 1);
    errors[4 * threadIdx.x] = cudaPeekAtLastError();
    errors[4 * threadIdx.x + 1] = cudaGetLastError();
    errors[4 * threadIdx.x + 2] = cudaGetLastError();
    int device = 7, count = 7;
    errors[4 * threadIdx.x + 3] = cudaGetDevice(&device) || cudaGetDeviceCount(&count) || device;
}

__global__ void give_back(int *memory, int *out)
{
    *out = memory[5];
    cudaFree(memory);
}

__global__ void pass_memory(int *out)
{
    int *memory;
    if (cudaMalloc((void **)&memory, 64 * sizeof *memory) != cudaSuccess)
        return;
    memory[5] = 77;
    give_back<<<1, 1>>>(memory, out);
}

template <typename T> __global__ void scale(T *values, T factor)
{
    values[threadIdx.x] *= factor;
}

__global__ void by_pointer(float *values, double *others)
{
    void (*const kernel)(float *, float) = scale<float>;
    kernel<<<1, 4>>>(values, 3.f);
    scale<double><<<1, 4>>>(others, 0.5);
}

static int *zeros(int count)
{
    int *memory;
    cudaMallocManaged(&memory, count * sizeof *memory);
    for (int i = 0; i < count; i++)
        memory[i] = 0;
    return memory;
}

static void counts_and_parameters()
{
    int *const out = zeros(2 * BLOCKS), *const count = zeros(DEPTH);
    launch_each<<<BLOCKS, 8>>>(out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 2 * BLOCKS; i++)
        EXPECT(out[i] == 4 * (8 * (1 + 2 + 30 + 5) + 28));
    recurse<<<2, 2>>>(count, 0);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(count[0] == 4 && count[1] == 16 && count[2] == 64);
}

static void order()
{
    int *const a = zeros(THREADS), *const b = zeros(THREADS), *const c = zeros(2 * THREADS);
    int *const list = zeros(8), *const streams = zeros(2 * THREADS);
    in_order<<<1, THREADS>>>(a, b, c);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < THREADS; i++) {
        EXPECT(a[i] == 123);
        EXPECT(b[i] == (i < 4 ? 0 : 12));
        EXPECT(c[2 * i] == 123 && c[2 * i + 1] == 0);
    }
    with_a_tail<<<1, 1>>>(list);
    note<<<1, 1>>>(list, 7);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(list[0] == 6);
    for (int i = 1; i <= 6; i++)
        EXPECT(list[i] == i + 1);
    with_streams<<<1, 1>>>(streams);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(streams[THREADS - 1] == 12 && streams[THREADS] == 3);
}

static void errors_and_memory()
{
    int *const errors = zeros(8), *const out = zeros(THREADS);
    refused<<<1, 2>>>(errors, out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(errors[0] == cudaErrorInvalidConfiguration && errors[1] == errors[0] && !errors[2]);
    EXPECT(!errors[4] && !errors[5] && !errors[6] && !errors[3] && !errors[7]);
    EXPECT(out[0] == 1);
    pass_memory<<<1, 1>>>(out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(out[0] == 77);
    float *values;
    double *others;
    cudaMallocManaged(&values, 4 * sizeof *values);
    cudaMallocManaged(&others, 4 * sizeof *others);
    for (int i = 0; i < 4; i++)
        values[i] = others[i] = i;
    by_pointer<<<1, 1>>>(values, others);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(values[3] == 9 && others[3] == 1.5);
}

/* ---- Graphs ---- */

__global__ void decide(cudaGraphConditionalHandle condition, const int *value)
{
    cudaGraphSetConditional(condition, *value);
}

__global__ void count_down(cudaGraphConditionalHandle condition, int *left, int *list)
{
    list[1 + list[0]++] = *left;
    cudaGraphSetConditional(condition, --*left > 0);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *before, void *kernel,
                                  void **arguments)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = kernel;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = arguments;
    EXPECT(cudaGraphAddNode(&node, graph, before, NULL, before ? 1 : 0, &p) == cudaSuccess);
    return node;
}

static cudaGraph_t *add_condition(cudaGraph_t graph, const cudaGraphNode_t *before,
                                  cudaGraphConditionalHandle condition,
                                  cudaGraphConditionalNodeType type, unsigned bodies)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = condition;
    p.conditional.type = type;
    p.conditional.size = bodies;
    EXPECT(cudaGraphAddNode(&node, graph, before, NULL, before ? 1 : 0, &p) == cudaSuccess);
    return p.conditional.phGraph_out;
}

// Of a switch with a loop in its last body: what each value runs, also after the graph is gone.
static void conditions()
{
    int *const value = zeros(1), *const left = zeros(1), *const list = zeros(16);
    int ten = 10, eleven = 11;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle which, again;
    EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
    EXPECT(cudaGraphConditionalHandleCreate(&which, graph, 0, 0) == cudaSuccess);
    EXPECT(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault) ==
           cudaSuccess);
    void *decides[] = {&which, (void *)&value}, *notes_ten[] = {(void *)&list, &ten},
         *notes_eleven[] = {(void *)&list, &eleven},
         *counts[] = {&again, (void *)&left, (void *)&list};
    const cudaGraphNode_t first = add_kernel(graph, NULL, (void *)decide, decides);
    cudaGraph_t *const bodies = add_condition(graph, &first, which, cudaGraphCondTypeSwitch, 3);
    add_kernel(bodies[0], NULL, (void *)note, notes_ten);
    const cudaGraphNode_t once = add_kernel(bodies[1], NULL, (void *)note, notes_eleven);
    add_kernel(bodies[1], &once, (void *)note, notes_ten);
    cudaGraph_t *const loop = add_condition(bodies[2], NULL, again, cudaGraphCondTypeWhile, 1);
    add_kernel(loop[0], NULL, (void *)count_down, counts);
    EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
    static const int wanted[] = {10, 11, 10, 3, 2, 1, 1};
    for (int i = 0; i < 5; i++) { /* a value that has no body, at the end */
        *value = i < 3 ? i : i == 3 ? 2 : 7;
        *left = i == 3 ? 1 : 3;
        EXPECT(cudaGraphLaunch(executable, 0) == cudaSuccess);
        EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    }
    EXPECT(list[0] == 7);
    for (int i = 0; i < 7; i++)
        EXPECT(list[1 + i] == wanted[i]);
    EXPECT(cudaGraphExecDestroy(executable) == cudaSuccess);
}

// Memory that a captured stream allocates and frees, in a second stream, and memory that a launch
// leaves, and that the stream frees.
static void memory_of_graphs()
{
    int *inside, *left;
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t executable, again;
    unsigned long long used;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&event);
    EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    EXPECT(cudaMallocAsync((void **)&inside, 64, stream) == cudaSuccess);
    EXPECT(cudaMallocAsync((void **)&left, 64, stream) == cudaSuccess);
    EXPECT(cudaMemsetAsync(inside, 0, 64, stream) == cudaSuccess);
    note<<<1, 1, 0, stream>>>(inside, 7);
    EXPECT(cudaMemcpyAsync(left, inside, 64, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    EXPECT(cudaFreeAsync(inside, other) == cudaSuccess);
    cudaEventRecord(event, other);
    cudaStreamWaitEvent(stream, event, 0);
    EXPECT(cudaStreamDestroy(other) == cudaSuccess);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    EXPECT(cudaGraphInstantiate(&again, graph, 0) == cudaErrorNotSupported);
    EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        int got[2];
        EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
        EXPECT(cudaMemcpyAsync(got, left, 8, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
        EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
        EXPECT(got[0] == 1 && got[1] == 7);
        cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
        EXPECT(used == 32 << 20);
        EXPECT(cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);
        EXPECT(cudaFreeAsync(left, stream) == cudaSuccess);
        EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    }
    cudaDeviceGraphMemTrim(0);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
    EXPECT(used == 0);
    EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    EXPECT(cudaGraphLaunch(executable, stream) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaGraphExecDestroy(executable) == cudaSuccess);
}

// The device's runtime, which is linked to this file, is PTX of an older version.
static void version_of_ptx()
{
    cudaFuncAttributes of_kernel;
    cudaDeviceProp gpu;
    EXPECT(cudaFuncGetAttributes(&of_kernel, launch_each) == cudaSuccess &&
           cudaGetDeviceProperties(&gpu, 0) == cudaSuccess);
    EXPECT(of_kernel.ptxVersion == 10 * gpu.major + gpu.minor);
}

int main()
{
    version_of_ptx();
    counts_and_parameters();
    order();
    errors_and_memory();
    conditions();
    memory_of_graphs();
    printf("%d failures\n", failures);
    return failures > 0;
}
