// Step 11.19: the paths themselves. Each pair keeps the last vertex that made its path shorter;
// followed back, these lead to the vertex after the first.
#include "families/apsp.h"

#include <limits.h>

constexpr int THREADS = 256; // in a block
static_assert(THREADS % 32 == 0, "whole warps only: a partial warp pays for lanes that do nothing");

// The length of a path above, the number of its arcs below: it decides between paths of the same
// length. Without it, arcs of weight 0 could lead from one vertex to another and back.
typedef unsigned long long word;
enum form { F32, S32, S32_SIGNED }; // of lengths: floats, or whole numbers as in stage 11.12
// True when path x is shorter than y.
template <int FORM> static __device__ __forceinline__ bool shorter(unsigned x, unsigned y)
{
    if (FORM == F32)
        return __uint_as_float(x) < __uint_as_float(y);
    return FORM == S32_SIGNED ? (int)x < (int)y : x < y;
}
template <int FORM> static __device__ __forceinline__ bool shorter(word x, word y)
{
    const unsigned x_length = x >> 32, y_length = y >> 32;
    const bool less = shorter<FORM>(x_length, y_length), more = shorter<FORM>(y_length, x_length);
    return less | (!more & ((unsigned)x < (unsigned)y)); // no branches
}
// The path that is a, and then b: both lengths and both numbers of arcs are added.
template <int FORM> static __device__ __forceinline__ unsigned sum(unsigned a, unsigned b)
{
    return FORM == F32 ? __float_as_uint(__uint_as_float(a) + __uint_as_float(b)) : a + b;
}
template <int FORM> static __device__ __forceinline__ word sum(word a, word b)
{
    const unsigned length = sum<FORM>((unsigned)(a >> 32), (unsigned)(b >> 32));
    return (word)length << 32 | ((unsigned)a + (unsigned)b);
}

// Makes paths shorter that may now pass through vertex k: a thread for each (i, j), neighbours in a
// row of d. It loads 24 bytes (d[i][k] is one address for all threads of a warp) and does two
// operations with them, an addition and a comparison: memory is all that counts.
//
// All threads read row k and column k in this launch. They stay as they are: the way from k to k is
// 0, so no path that begins or ends in k gets shorter through k. Hence no thread may write them,
// and the threads need not wait for each other. What is not shorter is not written either.
template <int FORM> static __global__ void through_vertex(int n, int k, word *d, int *via)
{
    const unsigned across = (n - 1) / THREADS + 1; // blocks in a row: rows begin with a block
    const int i = blockIdx.x / across;
    const int j = blockIdx.x % across * THREADS + threadIdx.x;
    if (j >= n || i == k || j == k)
        return;
    const size_t at = (size_t)i * n + j; // n * n may pass 2^31
    // No path plus anything is no less than no path, in each form.
    const word through = sum<FORM>(d[(size_t)i * n + k], d[(size_t)k * n + j]);
    if (!shorter<FORM>(through, d[at]))
        return;
    d[at] = through;
    via[at] = k;
}

// What stands for "no path" in the matrices that come and go, and in the words here. Signed,
// INT_MAX is kept as 2^30 - 1, so that twice it still fits.
struct no_path {
    unsigned outside, inside;
};
// The matrix of arcs to one of words: 64 x 64 elements a block.
template <class E>
static __global__ void copy_in(int n, const E *w, struct no_path no_path, word *d, int *via)
{
    const unsigned across = (n - 1) / 64 + 1, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= n || col >= n)
            continue;
        unsigned length = w[row * n + col];
        const unsigned arcs = row != col && length != no_path.outside; // 1, or 0 where none is
        if (length == no_path.outside)
            length = no_path.inside; // which no sum may overflow
        d[row * n + col] = (word)length << 32 | arcs;
        via[row * n + col] = -1; // no vertex between: the arc itself
    }
}
// The way back, and where a path's first arc leads: from the last vertex passed to the last one on
// the way there, until there is none.
template <class E>
static __global__ void copy_out(int n, const word *d, const int *via, struct no_path no_path,
                                E *lengths, int *next)
{
    const unsigned across = (n - 1) / 64 + 1, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    const size_t first = blockIdx.x / across * 64;
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += THREADS / 64) {
        if (row >= n || col >= n)
            continue;
        unsigned length = d[row * n + col] >> 32;
        if (no_path.inside != no_path.outside && (int)length >= (int)no_path.inside / 2)
            length = no_path.outside; // negative arcs may have lowered it on the way
        lengths[row * n + col] = length;
        int step = -1, passed = row != col && length != no_path.outside ? (int)col : -1;
        for (int i = 0; i < n && passed >= 0; ++i) { // n: a wrong `via` must not lead in circles
            step = passed;
            passed = via[row * n + step];
        }
        next[row * n + col] = step;
    }
}
// The scratch memory: words, and the last vertices passed.
static size_t workspace(const struct lab_apsp *p)
{
    return (size_t)p->n * p->n * (sizeof(word) + sizeof(int));
}

// A launch ends before the next one begins: each finds what all vertices before it have brought.
template <int FORM, class E>
static cudaError_t plain(const struct lab_apsp *p, struct no_path no_path, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)p->n * ((p->n - 1) / THREADS + 1);
    const unsigned patches = (p->n - 1) / 64 + 1; // patches are copied
    word *d = (word *)p->workspace;
    int *via = (int *)(d + (size_t)p->n * p->n); // behind the words
    copy_in<<<patches * patches, THREADS, 0, stream>>>(p->n, (const E *)p->w, no_path, d, via);
    cudaError_t status = cudaGetLastError();
    for (int k = 0; k < p->n && status == cudaSuccess; ++k) {
        through_vertex<FORM><<<blocks, THREADS, 0, stream>>>(p->n, k, d, via);
        status = lab_apsp_tell(p, k + 1, p->n, stream);
    }
    copy_out<<<patches * patches, THREADS, 0, stream>>>(p->n, d, via, no_path, (E *)p->d, p->next);
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->type == LAB_APSP_F32) // +infinity
        return plain<F32, unsigned>(p, {0x7F800000, 0x7F800000}, stream);
    if (p->type == LAB_APSP_U16)
        return plain<S32, unsigned short>(p, {0xFFFF, 0xFFFF}, stream); // widened
    return p->negative ? plain<S32_SIGNED, unsigned>(p, {INT_MAX, 0x3FFFFFFF}, stream)
                       : plain<S32, unsigned>(p, {INT_MAX, INT_MAX}, stream);
}

LAB_EXPORT(apsp, {"floyd_warshall", launch, workspace, LAB_APSP_PATHS});
