// Step 11.12: Floyd-Warshall of whole numbers. What stands for "no path" has no infinity behind it:
// it must be no path still when something is added, and nothing may overflow.
#include "families/apsp.h"

#include <limits.h>

constexpr int THREADS = 256; // in a block
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");

// All arithmetic is on 32-bit words. The forms differ in what a word holds.
enum form {
    S32, // no less than 0, no path INT_MAX: unsigned, and twice that still fits; or an unsigned
         // short, widened, no path 65535
    S32_SIGNED, // any int; INT_MAX is kept as 2^30 - 1, so that twice it still fits
};
constexpr unsigned NO_PATH_SIGNED = 0x3FFFFFFF;

// True when path x is shorter than y.
template <int FORM> static __device__ __forceinline__ bool shorter(unsigned x, unsigned y)
{
    return FORM == S32_SIGNED ? (int)x < (int)y : x < y;
}

// Makes paths shorter that may now pass through vertex k: a thread for each (i, j), neighbours in a
// row of d. It loads 12 bytes (d[i][k] is one address for all threads of a warp) and does two
// operations with them, an addition and a comparison: memory is all that counts.
//
// All threads read row k and column k in this launch. They stay as they are: the way from k to k is
// 0, so no path that begins or ends in k gets shorter through k. Hence no thread may write them,
// and the threads need not wait for each other. What is not shorter is not written either.
template <int FORM, class E> static __global__ void through_vertex(int n, int k, E *d)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    // No path plus anything is no less than no path, in each form.
    const unsigned through = (unsigned)d[(size_t)i * n + k] + (unsigned)d[(size_t)k * n + j];
    if (shorter<FORM>(through, (unsigned)d[at]))
        d[at] = through;
}

// INT_MAX to what stands for it among signed words, or BACK: negative arcs may have lowered that.
template <bool BACK>
static __global__ void convert(size_t count, const unsigned *from, unsigned *to)
{
    const size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= count)
        return;
    const unsigned word = from[at];
    if (BACK)
        to[at] = (int)word >= (int)NO_PATH_SIGNED / 2 ? INT_MAX : word;
    else
        to[at] = word == INT_MAX ? NO_PATH_SIGNED : word;
}

// A launch ends before the next one begins: each finds what all vertices before it have brought.
template <int FORM, class E> static cudaError_t plain(const struct lab_apsp *p, cudaStream_t stream)
{
    const size_t count = (size_t)p->n * p->n, bytes = count * sizeof(E);
    const unsigned all = (unsigned)((count - 1) / THREADS + 1);
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    cudaError_t status = cudaMemcpyAsync(p->d, p->w, bytes, cudaMemcpyDeviceToDevice, stream);
    if (FORM == S32_SIGNED)
        convert<false><<<all, THREADS, 0, stream>>>(count, (unsigned *)p->w, (unsigned *)p->d);
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<FORM><<<blocks, THREADS, 0, stream>>>(p->n, k, (E *)p->d);
        status = lab_apsp_tell(p, k + 1, p->n, stream);
    }
    if (FORM == S32_SIGNED)
        convert<true><<<all, THREADS, 0, stream>>>(count, (unsigned *)p->d, (unsigned *)p->d);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_U16)
        return plain<S32, unsigned short>(p, stream);
    return p->negative ? plain<S32_SIGNED, unsigned>(p, stream) : plain<S32, unsigned>(p, stream);
}

LAB_EXPORT(apsp,
           {"floyd_warshall", launch, NULL, LAB_APSP_INTS | LAB_APSP_SHORTS | LAB_APSP_LENGTHS});
