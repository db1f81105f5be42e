// Step 11.6: a distance below 2^15 - 1 takes 15 bits, so two neighbours share a word, and one
// instruction serves both. In blocks longer distances are cut off, and the end shows whether there
// were any; with products the device decides before each one.
#include "families/apsp.h"
#include "semiring/phases.h"
#include "semiring/squaring.h"

typedef unsigned short element; // what a matrix holds

// What a product leaves for the next one. Floyd-Warshall keeps two: of the weights, and of
// the distances in pairs.
enum { WEIGHTS, PAIRS };
struct outcome {
    unsigned changed; // not 0: some path became shorter, so the next one may find more
    unsigned largest; // distance: decides whether pairs can hold the sums
};
// The largest distance in a word.
template <class S> static __device__ __forceinline__ unsigned distance_in(word w)
{
    if (S::PER_WORD == 1)
        return w == S::zero ? 0 : w;
    w &= ~__vcmpeq2(w, S::zero);
    return w >> 16 > (w & 0xFFFF) ? w >> 16 : w & 0xFFFF;
}
static __device__ __forceinline__ void report_largest(unsigned largest, struct outcome *after)
{
    largest = __reduce_max_sync(0xFFFFFFFF, largest); // of a warp, by one instruction
    if (threadIdx.x % 32 == 0)
        atomicMax(&after->largest, largest);
}
// Compares a block's new distances with the old ones at `from`, and looks for the largest.
template <class S, int VALUES>
static __device__ __forceinline__ void report(const word (&c)[VALUES][VALUES], const element *from,
                                              size_t n, struct outcome *after)
{
    const int ty = semiring_row<S, VALUES>(threadIdx.x), tx = semiring_col<S, VALUES>(threadIdx.x);
    bool changed = false;
    unsigned largest = 0;
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 4) {
            const struct quad old = S::load4(from + semiring_nth(ty, r, SEMIRING_STRIDE_M) * n +
                                             semiring_nth(tx, q, SEMIRING_STRIDE_N) * S::PER_WORD);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                changed |= c[r][q + i] != old.v[i];
                largest = max(largest, distance_in<S>(c[r][q + i]));
            }
        }
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        atomicMax(&after->changed, 1); // by one thread of a block
    report_largest(largest, after);
}

// to = min(from, from from): the shortest paths of twice as many arcs. `before` is 0 where the
// product before this one changed nothing. Then both matrices hold the same, and nothing is done.
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>, 2 * S::PER_WORD) void square(
    size_t n, const element *__restrict__ from, element *__restrict__ to,
    const struct outcome *before, struct outcome *after)
{
    constexpr int SIZE = SEMIRING_SIDE * VALUES;
    __shared__ __align__(16) semiring_tiles<S, VALUES> tiles;
    // Each product is launched in both forms; pairs run where a sum is below 2^15 - 1.
    if (!before->changed || (before->largest <= 0x3FFF) == (S::PER_WORD == 1))
        return; // all threads of all blocks
    // A block has a tile of the result, from the rows of A at `row` and the columns of B at `col`.
    const size_t row = blockIdx.x / (unsigned)(n / SIZE) * SIZE * n;
    const size_t col = blockIdx.x % (unsigned)(n / SIZE) * SIZE;
    word c[VALUES][VALUES]; // in registers: every index is known when compiling
    semiring_move_tile<S, false>(c, (element *)from + row + col, n);
    semiring_product<S, 1>(c, tiles, from + row, from + col, n, n);
    semiring_move_tile<S, true>(c, to + row + col, n);
    report<S>(c, from + row + col, n, after);
}

// Whether a form of Floyd-Warshall has to run. Pairs take all from 2^15 - 1 on for no path. Where a
// path is as long as that, consider its first vertex that is as far away, and the one before: that
// one's distance is known, and with the arc between it reaches 2^15 - 1. So if the largest distance
// plus the largest weight stays below it, no path is as long. Else all is done again, widened.
template <class S> static __device__ __forceinline__ bool is_needed(const struct outcome *outcome)
{
    return S::PER_WORD == 2 || outcome[WEIGHTS].largest + outcome[PAIRS].largest >= 0x7FFF;
}

template <class S, int VALUES>
static __global__
__launch_bounds__(SEMIRING_THREADS<S>) void diagonal(size_t n, element *d,
                                                     const struct outcome *outcome)
{
    if (is_needed<S>(outcome)) // the same for all threads of all blocks
        semiring_diagonal<S, VALUES>(n, d);
}
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>,
                                    S::PER_WORD + 1) void panels(size_t n, int round, element *d,
                                                                 const struct outcome *outcome)
{
    if (is_needed<S>(outcome))
        semiring_panel<S, 1, VALUES>(n, round, d);
}
template <class S, int VALUES>
static __global__ __launch_bounds__(SEMIRING_THREADS<S>,
                                    S::PER_WORD + 1) void rest(size_t n, int round, element *d,
                                                               const struct outcome *outcome)
{
    if (is_needed<S>(outcome))
        semiring_rest<S, 1, VALUES>(n, round, d);
}

// A matrix to one of whole tiles, with vertices that nothing leads to, and back: 64 x 64 elements a
// block. No kernel then asks where the matrix ends. `after` is told the largest element.
constexpr int COPIERS = 256; // threads of a block
template <class S>
static __global__ void copy(int n_from, const element *from, int n_to, element *to,
                            const struct outcome *outcome, struct outcome *after)
{
    if (!is_needed<S>(outcome))
        return;
    const int across = (max(n_from, n_to) - 1) / 64 + 1;
    const int first = blockIdx.x / across * 64, col = blockIdx.x % across * 64 + threadIdx.x % 64;
    unsigned largest = 0;
    // A warp takes 32 neighbours of a row, the block four rows at a time.
    for (size_t row = first + threadIdx.x / 64; row < first + 64; row += COPIERS / 64)
        if (row < n_to && col < n_to) {
            const word w =
                row < n_from && col < n_from ? from[row * n_from + col] : min_plus_u16::zero;
            largest = max(largest, distance_in<min_plus_u16>(w));
            to[row * n_to + col] = w;
        }
    if (!after)
        return;
    if (blockIdx.x + threadIdx.x == 0)
        after->changed = 1; // the first product is done in any case
    report_largest(largest, after);
}

// Vertices of whole tiles.
static size_t padded_size(const struct lab_apsp *p)
{
    const size_t size = p->n <= SEMIRING_SMALL ? SEMIRING_SIDE * 4 : SEMIRING_SIDE * 8;
    return (p->n + size - 1) / size * size;
}

// The scratch memory: what each product says to the next, or the largest weight and the largest
// distance; then a matrix for products, and one where the output has no whole tiles.
static size_t scratch_bytes(const struct lab_apsp *p, int matrices)
{
    const size_t padded = padded_size(p);
    return SEMIRING_FLAGS * sizeof(struct outcome) +
           (matrices + (padded != (size_t)p->n)) * padded * padded * sizeof(element);
}
static size_t blocked_workspace(const struct lab_apsp *p)
{
    return scratch_bytes(p, 0);
}
static size_t workspace(const struct lab_apsp *p)
{
    return scratch_bytes(p, 1);
}

// All rounds, in one of the forms. News of progress is of pairs: nearly always all is done then.
template <class S, int VALUES>
static cudaError_t all_rounds(const struct lab_apsp *p, element *d, cudaStream_t stream)
{
    const bool in_pairs = S::PER_WORD == 2;
    const int padded = padded_size(p), rounds = padded / (SEMIRING_SIDE * VALUES),
              others = rounds - 1;
    const int patches = padded / 64; // patches are copied
    struct outcome *outcome = (struct outcome *)p->workspace;
    copy<S><<<patches * patches, COPIERS, 0, stream>>>(
        p->n, (const element *)p->w, padded, d, outcome, in_pairs ? &outcome[WEIGHTS] : NULL);
    diagonal<S, VALUES><<<1, SEMIRING_THREADS<S>, 0, stream>>>(padded, d, outcome);
    cudaError_t status = cudaGetLastError();
    // A phase reads what the one before wrote, in other blocks: each is a launch.
    for (int round = 0; round < rounds && others > 0 && status == cudaSuccess; ++round) {
        panels<S, VALUES>
            <<<2 * others, SEMIRING_THREADS<S>, 0, stream>>>(padded, round, d, outcome);
        rest<S, VALUES>
            <<<others * others, SEMIRING_THREADS<S>, 0, stream>>>(padded, round, d, outcome);
        status = in_pairs ? lab_apsp_tell(p, round + 1, rounds, stream) : cudaGetLastError();
    }
    return status;
}
template <int VALUES> static cudaError_t blocked_in(const struct lab_apsp *p, cudaStream_t stream)
{
    const int padded = padded_size(p), patches = padded / 64;
    struct outcome *outcome = (struct outcome *)p->workspace;
    element *d = (element *)(padded == p->n ? p->d : (void *)(outcome + SEMIRING_FLAGS));
    cudaError_t status = cudaMemsetAsync(outcome, 0, 2 * sizeof *outcome, stream);
    if (status == cudaSuccess)
        status = all_rounds<min_plus_u16_pair, VALUES>(p, d, stream);
    // In place: what it is for is the largest distance.
    copy<min_plus_u16_pair>
        <<<patches * patches, COPIERS, 0, stream>>>(padded, d, padded, d, outcome, &outcome[PAIRS]);
    if (status == cudaSuccess)
        status = all_rounds<min_plus_u16, VALUES>(p, d, stream);
    if (d != p->d)
        copy<min_plus_u16_pair><<<patches * patches, COPIERS, 0, stream>>>(
            padded, d, p->n, (element *)p->d, outcome, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
static cudaError_t blocked(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SEMIRING_SMALL ? blocked_in<4>(p, stream) : blocked_in<8>(p, stream);
}

// Products go from one matrix to the other, such that the last one writes matrix 0.
template <int VALUES> static cudaError_t squared(const struct lab_apsp *p, cudaStream_t stream)
{
    typedef min_plus_u16 one;
    typedef min_plus_u16_pair two;
    const int padded = padded_size(p), tiles = padded / (SEMIRING_SIDE * VALUES),
              patches = padded / 64;
    const int products = lab_apsp_products(p);
    struct outcome *outcome = (struct outcome *)p->workspace;
    element *scratch = (element *)(outcome + SEMIRING_FLAGS);
    element *d[2] = {padded == p->n ? (element *)p->d : scratch + (size_t)padded * padded, scratch};
    cudaError_t status = cudaMemsetAsync(outcome, 0, (products + 1) * sizeof *outcome, stream);
    copy<two><<<patches * patches, COPIERS, 0, stream>>>(p->n, (const element *)p->w, padded,
                                                         d[products % 2], NULL, outcome);
    // A launch ends before the next one begins: each squares what the one before it wrote.
    for (int i = 0; i < products && status == cudaSuccess; ++i) {
        const int from = (products - i) % 2, to = 1 - from;
        square<one, VALUES><<<tiles * tiles, SEMIRING_THREADS<one>, 0, stream>>>(
            padded, d[from], d[to], &outcome[i], &outcome[i + 1]);
        square<two, VALUES><<<tiles * tiles, SEMIRING_THREADS<two>, 0, stream>>>(
            padded, d[from], d[to], &outcome[i], &outcome[i + 1]);
        status = lab_apsp_tell(p, i + 1, products, stream);
    }
    if (d[0] != p->d)
        copy<two><<<patches * patches, COPIERS, 0, stream>>>(padded, d[0], p->n, (element *)p->d,
                                                             NULL, NULL);
    return status == cudaSuccess ? cudaGetLastError() : status;
}
static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    return p->n <= SEMIRING_SMALL ? squared<4>(p, stream) : squared<8>(p, stream);
}

LAB_EXPORT(apsp,
           {"min_plus", launch, workspace, LAB_APSP_SQUARES | LAB_APSP_SHORTS | LAB_APSP_LENGTHS},
           {"floyd_warshall_pairs", blocked, blocked_workspace,
            LAB_APSP_SHORTS | LAB_APSP_LENGTHS | LAB_APSP_SHORTEST});
