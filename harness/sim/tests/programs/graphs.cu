// A graph of kernels, a fill and a copy, captured from two streams: arguments are those of the time
// of the capture, and each launch does it all again. Then kernels that are added node by node.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };

struct factors {
    double by;
    char plus;
};

static __global__ void scale(const float *from, float *to, factors f)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < N)
        to[i] = (float)(f.by * from[i] + f.plus);
}

static __global__ void add(const float *a, const float *b, float *sum)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < N)
        sum[i] += a[i] + b[i];
}

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorName(status));
    exit(1);
}

static __device__ float bias[2];

// All blocks wait for each other: each adds what its neighbour has written before.
static __global__ void shift(float *values)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float next = values[(i + THREADS) % (BLOCKS * THREADS)];
    cooperative_groups::this_grid().sync();
    values[i] = next + bias[1];
}

static bool holds(const float *device, float by, float plus, float after)
{
    static float host[BLOCKS * THREADS];
    must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost), "copy");
    for (int i = 0; i < N; i++) {
        const int from = (i + THREADS) % (BLOCKS * THREADS);
        const float expected = (from < N ? by * from + plus : 0) + after;
        if (host[i] != expected) {
            printf("%g at %d, not %g\n", host[i], i, expected);
            return false;
        }
    }
    return true;
}

// A copy to a variable and a kernel, then a cooperative one behind both; their arguments change.
static bool node_by_node(const float *from, float *to, cudaStream_t stream)
{
    const float biases[2] = {0, 7}, others[2] = {0, 8};
    factors f = {2.0, 1};
    void *arguments[] = {&from, &to, &f}, *only[] = {&to};
    cudaKernelNodeParams first = {(void *)scale, BLOCKS, THREADS, 0, arguments, nullptr};
    cudaKernelNodeParams second = {(void *)shift, BLOCKS, THREADS, 0, only, nullptr}, got;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[3];
    cudaGraphExec_t executable;
    cudaLaunchAttributeValue value = {};
    must(cudaMemset(to, 0, BLOCKS * THREADS * sizeof *to), "memset");
    must(cudaDeviceSynchronize(), "begin");
    must(cudaGraphCreate(&graph, 0), "create");
    must(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &first), "kernel");
    must(cudaGraphAddMemcpyNodeToSymbol(&nodes[1], graph, nullptr, 0, bias, biases, sizeof biases,
                                        0, cudaMemcpyHostToDevice),
         "symbol");
    must(cudaGraphAddKernelNode(&nodes[2], graph, nodes, 2, &second), "kernel");
    value.cooperative = 1;
    must(cudaGraphKernelNodeSetAttribute(nodes[2], cudaLaunchAttributeCooperative, &value), "set");
    must(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    must(cudaGraphLaunch(executable, stream), "launch");
    must(cudaStreamSynchronize(stream), "synchronize");
    if (!holds(to, 2, 1, 7))
        return false;

    must(cudaGraphKernelNodeGetParams(nodes[0], &got), "get");
    if (got.func != (void *)scale || got.gridDim.x != BLOCKS ||
        ((factors *)got.kernelParams[2])->by != 2.0)
        return false;
    f.by = 5.0;
    must(cudaGraphExecKernelNodeSetParams(executable, nodes[0], &first), "set");
    must(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, nodes[1], bias, others, sizeof others,
                                                  0, cudaMemcpyHostToDevice),
         "set symbol");
    must(cudaMemset(to, 0, BLOCKS * THREADS * sizeof *to), "memset");
    must(cudaDeviceSynchronize(), "again");
    must(cudaGraphLaunch(executable, stream), "launch");
    must(cudaStreamSynchronize(stream), "synchronize");
    return holds(to, 5, 1, 8);
}

int main()
{
    float *x, *a, *b, *sum, host[N], got[N];
    cudaStream_t one, two;
    cudaEvent_t begun, done;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    for (float **array : {&x, &a, &b, &sum})
        must(cudaMalloc(array, BLOCKS * THREADS * sizeof **array), "malloc");
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    must(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice), "copy");
    must(cudaMemset(sum, 0, N * sizeof *sum), "memset");
    must(cudaStreamCreate(&one), "stream");
    must(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking), "stream");
    must(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
    must(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
    must(cudaDeviceSynchronize(), "begin");

    must(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal), "begin capture");
    must(cudaEventRecord(begun, one), "record");
    must(cudaStreamWaitEvent(two, begun, 0), "wait");
    factors f = {2.0, 1};
    scale<<<BLOCKS, THREADS, 0, two>>>(x, b, f);
    f = {3.0, 2};
    scale<<<BLOCKS, THREADS, 0, one>>>(x, a, f);
    f = {100.0, 100};
    must(cudaEventRecord(done, two), "record");
    must(cudaStreamWaitEvent(one, done, 0), "wait");
    add<<<BLOCKS, THREADS, 0, one>>>(a, b, sum);
    must(cudaMemsetAsync(a, 0xFF, N * sizeof *a, one), "memset");
    must(cudaMemcpyAsync(got, sum, sizeof got, cudaMemcpyDeviceToHost, one), "copy");
    must(cudaStreamEndCapture(one, &graph), "end capture");
    size_t nodes = 0;
    must(cudaGraphGetNodes(graph, NULL, &nodes), "nodes");
    must(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    must(cudaGraphDestroy(graph), "destroy");
    for (int launch = 1; launch <= 3; launch++) {
        must(cudaGraphLaunch(executable, one), "launch");
        must(cudaStreamSynchronize(one), "synchronize");
        for (int i = 0; i < N; i++)
            if (got[i] != (float)(launch * (5 * i + 3))) {
                printf("launch %d: %g at %d, and %zu nodes\n", launch, got[i], i, nodes);
                return 1;
            }
    }
    must(cudaGraphExecDestroy(executable), "destroy");
    return nodes == 5 && node_by_node(x, a, one) ? 0 : 1;
}
