// expect: ok
// What people write around a launch: static functions, classes, tables, a static variable, a
// configuration.
#include "families/gemm.h"

struct Config {
    int threads;
    unsigned blocks;
    size_t shared = 0;
    Config() = default;
    Config(int t, size_t elements) : threads(t), blocks((unsigned)((elements - 1) / t + 1))
    {
    }
    virtual ~Config() = default;
};

class Launcher
{
  public:
    explicit Launcher(cudaStream_t stream) : stream_(stream)
    {
    }
    cudaError_t operator()(const struct lab_gemm &p);

  private:
    cudaStream_t stream_;
    static const int sizes[3];
};

const int Launcher::sizes[3] = {64, 128, 256};

__global__ void gemm(struct lab_gemm p)
{
    const size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= (size_t)p.m * p.n)
        return;
    const int row = element / p.n, col = element % p.n;
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    p.c[element] = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * p.c[element];
}

static int multiprocessors()
{
    static int count = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    return count;
}

cudaError_t Launcher::operator()(const struct lab_gemm &p)
{
    const size_t elements = (size_t)p.m * p.n;
    const int which = elements < (size_t)64 * multiprocessors() ? 0 : 2;
    Config config(sizes[which], elements);
    gemm<<<config.blocks, config.threads, config.shared, stream_>>>(p);
    switch (cudaGetLastError()) {
    case cudaSuccess:
        return cudaSuccess;
    default:
        return cudaErrorLaunchFailure;
    }
}

cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    try {
        return Launcher(stream)(*p);
    } catch (...) {
        return cudaErrorUnknown;
    }
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
