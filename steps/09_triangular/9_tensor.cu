// Stage 09.9: on FP64 tensor cores, with the mainloop of stage 12.9: only its copies know of A's
// triangle. They take the panels from A's right edge back to the diagonal. Blocks that started
// together then read the same rows of B at the same time, and hand over each tile of B as soon as
// they have read it: few wait. An SM whose only block waits is idle.
#include "families/trmm.h"
#include "tile/dmma.h"
#include "tile/epilogue.h"
#include "tile/readers.h"

// Tiles of 128 x 128, one block to an SM, and of 64 x 64, two, for small problems.
using large = tile_dmma_shape<4, 4, 2, 4>;
using small = tile_dmma_shape<2, 4, 2, 2>;

// Copies of A from row `row` on: the panel at k, then those to the left of it. Below the diagonal A
// is not read: zeros take its place. A pair of an odd row may begin there, and is left out whole.
template <class S, int WIDTH> struct of_a : tile_dmma_iterator<S, S::TILE_M, true, WIDTH> {
    using base = tile_dmma_iterator<S, S::TILE_M, true, WIDTH>;

    __device__ __forceinline__ of_a(const double *a, int n, int row, int k)
        : base(a, n, row, n, k, n)
    {
        // Both edges are at n, so the difference is how far this thread is right of the diagonal:
        // as many rows, and one more, are above it or on it. None of them is beyond the edge.
        this->side_left += 1 - this->k_left;
    }

    __device__ __forceinline__ void start(double *tile, int i)
    {
        base::start(tile, i);
        if (i == base::COUNT - 1) { // back to the panel before
            this->at -= 2 * S::TILE_K;
            this->k_left += 2 * S::TILE_K;
            this->side_left -= S::TILE_K;
        }
    }
};

// Copies of B from column `column` on, of the same panels; zeros above row `row`, where other
// blocks write. Thread 0 counts this block among the readers of each tile of this column of tiles.
template <class S, int WIDTH> struct of_b : tile_dmma_iterator<S, S::TILE_N, false, WIDTH> {
    using base = tile_dmma_iterator<S, S::TILE_N, false, WIDTH>;
    int n, row, k, across; // tiles across B: counters of a column are as far apart
    unsigned *readers;     // of the first tile of the column

    __device__ __forceinline__ of_b(const double *b, int n, int m, int row, int column, int k,
                                    unsigned *readers)
        : base(b, m, column, m, k, n), n(n), row(row), k(k), across((m - 1) / S::TILE_N + 1),
          readers(readers)
    {
    }

    // The mainloop fills a place in shared memory again only after all threads are done with the
    // panel that was there. If a tile begins with it, all of the tile has been read. While the
    // first panels are started, `read` is past n: nothing has been read.
    __device__ __forceinline__ void count() const
    {
        const int read = k + S::STAGES * S::TILE_K;
        if (threadIdx.x == 0 && read % S::TILE_M == 0 && read < n) {
            __threadfence(); // what was read comes before the count, for other blocks too
            atomicAdd(&readers[read / S::TILE_M * across], 1u);
        }
    }

    __device__ __forceinline__ void start(double *tile, int i)
    {
        if (i == 0)
            count();
        base::start(tile, i);
        if (i == base::COUNT - 1) {
            this->at -= 2 * base::COUNT * this->next;
            k -= S::TILE_K;
            this->k_left = this->side_left > 0 && k >= row ? S::TILE_K : 0;
        }
    }
};

// Two neighbours in a row of B, of which `count` exist; zeros for the others.
template <int WIDTH>
static __device__ __forceinline__ void load2(const double *b, int count, double *pair)
{
    pair[0] = pair[1] = 0.0;
    if (WIDTH == 2 && count > 0)
        *(double2 *)pair = *(const double2 *)b;
    for (int e = 0; WIDTH == 1 && e < 2; ++e)
        if (e < count)
            pair[e] = b[e];
}

// counters[0] numbers the blocks, counters[1 ..] are the readers of each tile; all begin at 0.
template <class S, int WIDTH>
static __global__ __launch_bounds__(S::THREADS,
                                    256 / S::THREADS) void trmm(int n, int m, const double *a,
                                                                double *b, unsigned *counters)
{
    static_assert(S::TILE_M % S::TILE_K == 0 && S::TILE_M > S::TILE_K,
                  "tiles begin with a panel, and the last panel of a sum counts nothing");
    extern __shared__ __align__(128) double memory[]; // (stage, A's panel, then B's)
    __shared__ unsigned number;
    const int across = (m - 1) / S::TILE_N + 1;
    tile_number_block(counters, &number);
    const int tile = number / across, panel = number % across;
    const int row = tile * S::TILE_M, column = panel * S::TILE_N;
    const int panels = (n - row - 1) / S::TILE_K + 1, last = row + (panels - 1) * S::TILE_K;
    // The sums begin as old values of B, which are then all on their way at once, and the product
    // that pairs of A leave out.
    __align__(16) tile_dmma_sums<S> sum; // pairs are loaded whole
    tile_dmma_for_each<S>(sum, [&](int y, int x, double *pair) {
        const long long i = row + y, j = column + x;
        load2<WIDTH>(&b[i * m + j], i < n ? m - (int)j : 0, pair);
        if (WIDTH == 2 && i % 2 && i < n)
            for (int e = 0; e < 2; ++e)
                pair[e] += a[i * n + i] * pair[e];
    });
    of_a<S, WIDTH> from_a(a, n, row, last);
    of_b<S, WIDTH> from_b(b, n, m, row, column, last, counters + 1 + panel);
    tile_dmma_mainloop<S>(sum, memory, panels, from_a, from_b);
    tile_wait_for_counts(counters + 1, tile, panel, across);
    const int to_row = ptx_opaque(row), to_col = ptx_opaque(column); // no addresses are kept
    tile_dmma_for_each<S>(sum, [&](int y, int x, const double *pair) {
        const long long i = to_row + y, j = to_col + x;
        if (i < n)
            tile_store2<WIDTH == 2>(&b[i * m + j], m - (int)j, pair, 1.0, 0.0);
    });
}

template <class S> static size_t tiles_of(const struct lab_trmm *p)
{
    return (size_t)((p->n - 1) / S::TILE_M + 1) * ((p->m - 1) / S::TILE_N + 1);
}

// Multiply-adds that pass before the last block ends: those of the longest sums, while as many
// blocks as fit share a multiprocessor, or the average of the multiprocessors.
template <class S> static double work_of(const struct lab_trmm *p)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const double longest = (double)p->n * S::TILE_M * S::TILE_N * (256 / S::THREADS);
    const double average = (p->n + S::TILE_M) / 2.0 * S::TILE_M * S::TILE_N * tiles_of<S>(p) / sms;
    return longest > average ? longest : average;
}

// Small tiles read each element twice as often: they must save a fifth of the work.
static bool is_large(const struct lab_trmm *p)
{
    return 5 * work_of<small>(p) >= 4 * work_of<large>(p);
}

// Bytes of scratch memory that the harness is asked for.
static size_t counters(const struct lab_trmm *p)
{
    return (1 + (is_large(p) ? tiles_of<large>(p) : tiles_of<small>(p))) * sizeof(unsigned);
}

template <class S> static cudaError_t launch_shape(const struct lab_trmm *p, cudaStream_t stream)
{
    // Pairs of neighbours lie on 16 bytes where every row begins on 16 bytes.
    const auto kernel = p->n % 2 == 0 && p->m % 2 == 0 ? trmm<S, 2> : trmm<S, 1>;
    const int bytes = S::STAGES * (int)sizeof(double) * (of_a<S, 2>::DOUBLES + of_b<S, 2>::DOUBLES);
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(p->workspace, 0, counters(p), stream);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)tiles_of<S>(p), S::THREADS, bytes, stream>>>(p->n, p->m, p->a, p->b,
                                                                    (unsigned *)p->workspace);
    return cudaGetLastError();
}

static cudaError_t launch(const struct lab_trmm *p, cudaStream_t stream)
{
    return is_large(p) ? launch_shape<large>(p, stream) : launch_shape<small>(p, stream);
}

LAB_EXPORT(trmm, {"tensor_tile", launch, counters, LAB_TENSOR_DOUBLES});
