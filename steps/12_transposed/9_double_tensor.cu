// Stage 12.9: in double on tensor cores, which are twice as fast as the FP64 lanes. A lane reads
// its fragments double by double, from tiles of either order without bank conflicts: each operand
// is copied as it lies in memory, nothing is transposed, and all four products cost the same
// within 3 %.
#include "families/gemm.h"
#include "tile/dmma.h"
#include "tile/epilogue.h"
#include "tile/peel.h"
#include "tile/rasterize.h"

// Block tiles of 128 x 128, eight warps of 64 x 32: 64 sums take 128 registers of a thread, and one
// block fits on a multiprocessor. And of 64 x 64, four warps of 32 x 32, where those are too few.
using large = tile_dmma_shape<4, 4, 2, 4>;
using small = tile_dmma_shape<2, 4, 2, 2>;
constexpr int RASTER_ROWS = 12; // rows of tiles that go together; 8 and 16 are as fast

// Copies of two doubles, or of one where rows may begin anywhere.
template <class S, bool ALONG_K, bool ALIGNED>
using of_a = tile_dmma_iterator<S, S::TILE_M, ALONG_K, ALIGNED ? 2 : 1>;
template <class S, bool ALONG_K, bool ALIGNED>
using of_b = tile_dmma_iterator<S, S::TILE_N, ALONG_K, ALIGNED ? 2 : 1>;

template <class S, bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, 256 / S::THREADS) void gemm(
    int m, int n, int k, double alpha, const double *__restrict__ a, long long row_a,
    const double *__restrict__ b, long long row_b, double beta, double *__restrict__ c,
    long long row_c)
{
    extern __shared__ __align__(128) double memory[]; // (stage, A's panel, then B's)
    int first_row, first_col;
    tile_rasterize((m - 1) / S::TILE_M + 1, (n - 1) / S::TILE_N + 1, RASTER_ROWS, blockIdx.x,
                   &first_row, &first_col);
    first_row *= S::TILE_M;
    first_col *= S::TILE_N;
    ptx_let_next_begin(); // the kernel of what was peeled
    tile_dmma_sums<S> sum = {};
    of_a<S, A_ALONG_K, ALIGNED> from_a(a, row_a, first_row, m, 0, k);
    of_b<S, B_ALONG_K, ALIGNED> from_b(b, row_b, first_col, n, 0, k);
    tile_dmma_mainloop<S>(sum, memory, (k - 1) / S::TILE_K + 1, from_a, from_b);
    tile_dmma_for_each<S>(sum, [&](int y, int x, const double *pair) {
        const int row = first_row + y, col = first_col + x;
        if (row < m)
            tile_store2<ALIGNED>(&c[row * row_c + col], n - col, pair, alpha, beta);
    });
}

template <class S, bool A_ALONG_K, bool B_ALONG_K>
static void launch_shape(const struct lab_gemm *p, cudaStream_t stream)
{
    static_assert(S::TILE_M == S::TILE_N, "peeling knows square tiles");
    // Tiles of one SM share it: a wave is one tile on each, of either shape.
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const struct tile_whole whole = tile_peel(p->m, p->n, S::TILE_M, sms);
    const int blocks = ((whole.m - 1) / S::TILE_M + 1) * ((whole.n - 1) / S::TILE_N + 1);
    const int bytes = S::STAGES * (int)sizeof(double) *
                      (of_a<S, A_ALONG_K, true>::DOUBLES + of_b<S, B_ALONG_K, true>::DOUBLES);
    const bool is_aligned = (A_ALONG_K ? p->k : whole.m) % 2 == 0 && p->row_a % 2 == 0 &&
                            (!B_ALONG_K || p->k % 2 == 0) && p->row_b % 2 == 0 &&
                            whole.n % 2 == 0 && p->row_c % 2 == 0;
    const auto kernel =
        is_aligned ? gemm<S, A_ALONG_K, B_ALONG_K, true> : gemm<S, A_ALONG_K, B_ALONG_K, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, S::THREADS, bytes, stream>>>(whole.m, whole.n, p->k, p->alpha_double,
                                                  p->a_double, p->row_a, p->b_double, p->row_b,
                                                  p->beta_double, p->c_double, p->row_c);
    tile_peel_launch<double, A_ALONG_K, B_ALONG_K>(whole, p->m, p->n, p->k, p->alpha_double,
                                                   p->a_double, p->row_a, p->b_double, p->row_b,
                                                   p->beta_double, p->c_double, p->row_c, stream);
}

// Multiply-adds for each k of the multiprocessor that has the most tiles.
template <class S> static long long most_work(const struct lab_gemm *p)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const struct tile_whole whole = tile_peel(p->m, p->n, S::TILE_M, sms);
    const long long tiles = ((whole.m - 1) / S::TILE_M + 1LL) * ((whole.n - 1) / S::TILE_N + 1);
    return ((tiles - 1) / sms + 1) * S::TILE_M * S::TILE_N;
}

// Small tiles read each element twice as often: they must save a fifth of the work.
template <bool A_ALONG_K, bool B_ALONG_K>
static void launch_form(const struct lab_gemm *p, cudaStream_t stream)
{
    if (5 * most_work<small>(p) < 4 * most_work<large>(p))
        launch_shape<small, A_ALONG_K, B_ALONG_K>(p, stream);
    else
        launch_shape<large, A_ALONG_K, B_ALONG_K>(p, stream);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    if (p->a_is_transposed && p->b_is_transposed)
        launch_form<false, true>(p, stream);
    else if (p->a_is_transposed)
        launch_form<false, false>(p, stream);
    else if (p->b_is_transposed)
        launch_form<true, true>(p, stream);
    else
        launch_form<true, false>(p, stream);
    return cudaGetLastError();
}

LAB_EXPORT(gemm,
           {"doubles_tensor", launch, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES | LAB_TENSOR_DOUBLES});
