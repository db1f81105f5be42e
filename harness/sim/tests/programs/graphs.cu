// A graph of kernels, a fill and a copy, captured from two streams: arguments are those of the time
// of the capture, and each launch does it all again.
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

int main()
{
    float *x, *a, *b, *sum, host[N], got[N];
    cudaStream_t one, two;
    cudaEvent_t begun, done;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    for (float **array : {&x, &a, &b, &sum})
        must(cudaMalloc(array, N * sizeof **array), "malloc");
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
    return nodes == 5 ? 0 : 1;
}
