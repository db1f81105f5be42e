// Step 11.1: all-pairs shortest paths by Floyd-Warshall, as everybody knows it: through one vertex
// after another, with a launch for each.
#include "families/apsp.h"

constexpr int THREADS = 256; // in a block
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");

// Makes paths shorter that may now pass through vertex k: a thread for each (i, j), neighbours in a
// row of d. It loads 12 bytes (d[i][k] is one address for all threads of a warp) and does two
// operations with them, an addition and a comparison: memory is all that counts.
//
// All threads read row k and column k in this launch. They stay as they are: the way from k to k is
// 0, so no path that begins or ends in k gets shorter through k. Hence no thread may write them,
// and the threads need not wait for each other. What is not shorter is not written either.
static __global__ void through_vertex(int n, int k, float *d)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    // Where there is no path the distance is +infinity, and infinity plus anything is no less.
    const float through = d[(size_t)i * n + k] + d[(size_t)k * n + j];
    if (through < d[at])
        d[at] = through;
}

// A launch ends before the next one begins: each finds what all vertices before it have brought.
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t bytes = (size_t)p->n * p->n * sizeof(float);
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<<<blocks, THREADS, 0, stream>>>(p->n, k, (float *)p->d);
        status = lab_apsp_tell(p, k + 1, p->n, stream);
    }
    return status;
}

LAB_EXPORT(apsp, {"floyd_warshall", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
