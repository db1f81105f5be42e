// Step 11.1: all-pairs shortest paths by Floyd-Warshall, as everybody knows it: through one vertex
// after another, with a launch for each.
#include "families/apsp.h"
#include "semirings.h"

constexpr int THREADS = 256; // in a block
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");

// Makes paths shorter that may now pass through vertex k: a thread for each (i, j), neighbours in a
// row of d. It loads 12 bytes (d[i][k] is one address for all threads of a warp) and does two
// operations with them, an addition and a comparison: memory is all that counts.
//
// S says which operations: for shortest paths multiply() adds, and the lesser distance is better.
//
// All threads read row k and column k in this launch. They stay as they are: the path from k to k
// is 0, so no path that begins or ends in k gets shorter through k. Hence no thread may write them,
// and the threads need not wait for each other. What is not shorter is not written either.
template <class S> static __global__ void through_vertex(int n, int k, typename S::element *d)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    // Where there is no path the distance is S::zero, and joined with anything it is no better.
    const typename S::word through =
        S::multiply(S::load(d[(size_t)i * n + k]), S::load(d[(size_t)k * n + j]));
    if (S::better(through, S::load(d[at])))
        d[at] = S::store(through);
}

// What stands for "no path" to what the semiring takes for it, or BACK.
template <class S, bool BACK>
static __global__ void convert(size_t count, const typename S::element *from,
                               typename S::element *to)
{
    const size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (at < count)
        to[at] = BACK ? S::leave(from[at]) : S::enter(from[at]);
}

// A launch ends before the next one begins: each finds what all vertices before it have brought.
template <class S> static cudaError_t plain(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef typename S::element element;
    const size_t count = (size_t)p->n * p->n, bytes = count * sizeof(element);
    const unsigned all = (unsigned)((count - 1) / THREADS + 1);
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    element *d = (element *)p->d;
    cudaError_t status = cudaMemcpyAsync(d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    if (S::CONVERTS)
        convert<S, false><<<all, THREADS, 0, stream>>>(count, d, d);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<S><<<blocks, THREADS, 0, stream>>>(p->n, k, d);
        status = lab_apsp_tell(p, k + 1, p->n, stream);
    }
    if (S::CONVERTS)
        convert<S, true><<<all, THREADS, 0, stream>>>(count, d, d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->semiring == LAB_APSP_MAX_PLUS)
        return plain<max_plus_f32>(p, stream);
    if (p->semiring == LAB_APSP_OR_AND)
        return plain<or_and_u16>(p, stream);
    if (p->type == LAB_APSP_U16)
        return plain<min_plus_u16>(p, stream);
    if (p->type == LAB_APSP_F32)
        return plain<min_plus_f32>(p, stream);
    return p->negative ? plain<min_plus_s32_signed>(p, stream) : plain<min_plus_s32>(p, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall", launch, NULL,
                  LAB_APSP_LENGTHS | LAB_APSP_SHORTEST | LAB_APSP_LONGEST | LAB_APSP_REACHES});
