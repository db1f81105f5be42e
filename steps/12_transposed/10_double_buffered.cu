// Stage 12.10: and with double buffering: a panel waits in registers while the one before it is
// multiplied, and goes to the other of two tiles. What that brings, with a second block at hand
// that multiplies meanwhile?
#include "families/gemm.h"

constexpr int VALUES = 8;        // rows and columns of C per thread
constexpr int RUNS = VALUES / 2; // in runs of 2, 16 bytes
constexpr int THREADS = 128;     // four warps of 4 x 8 threads, two down and two across
constexpr int TILE_M = 64;       // rows of C per block
constexpr int TILE_N = 128;      // columns of C per block
constexpr int APART_M = 8;       // from one of a thread's runs of 2 rows to the next: 4 lanes down
constexpr int APART_N = 16;      // likewise of columns: 8 lanes across
constexpr int TILE_K = 8;        // a short panel: the tiles stay small, the sums are elsewhere
constexpr int PAD = 2; // see deposit(); a multiple of 2: every row of a tile stays aligned
static_assert(TILE_M == 2 * RUNS * APART_M && TILE_N == 2 * RUNS * APART_N, "2 x 2 warps");
static_assert(TILE_K == 8 && PAD == 2,
              "transposed stores of half a warp: 4 k by 4 rows, all banks");

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(double *c, double sum, double alpha, double beta)
{
    *c = beta == 0.0 ? alpha * sum : alpha * sum + beta * *c;
}

// The 2 elements at `from`, of which `count` exist, zeros for the others: they add nothing to a
// sum. ALIGNED says that rows begin on 16 bytes and are a multiple of 2 long: no vector is cut.
template <bool ALIGNED>
static __device__ __forceinline__ double2 load2(const double *__restrict__ from, int count)
{
    if (ALIGNED)
        return count > 0 ? *(const double2 *)from : make_double2(0.0, 0.0);
    return make_double2(count > 0 ? from[0] : 0.0, count > 1 ? from[1] : 0.0);
}

// Stores 2 neighbours in a row of C, of which `count` exist.
template <bool ALIGNED>
static __device__ __forceinline__ void store2(double *__restrict__ c, int count, const double *sum,
                                              double alpha, double beta)
{
    if (!ALIGNED) {
        for (int i = 0; i < 2; ++i)
            if (i < count)
                store(&c[i], sum[i], alpha, beta);
    } else if (count > 0) {
        double2 value = beta == 0.0 ? make_double2(0.0, 0.0) : *(const double2 *)c;
        store(&value.x, sum[0], alpha, beta);
        store(&value.y, sum[1], alpha, beta);
        *(double2 *)c = value;
    }
}

// Where a thread loads its vectors of a panel of SIDE rows or columns, and where it stores them in
// the tile. Along k a warp takes 8 k of 8 rows, whole sectors; across it takes neighbours of one k.
template <bool ALONG_K, int SIDE> struct place {
    static constexpr int VECTORS = SIDE * TILE_K / 2 / THREADS;
    static constexpr int NEXT = ALONG_K ? THREADS / (TILE_K / 2) : THREADS / (SIDE / 2);
    int k, across; // in the tile, of the first; the others are NEXT rows, or NEXT k, further on
    int first, extent;
    const double *from;
    long long ld;

    __device__ __forceinline__ place(const double *x, long long ld, int first, int extent)
        : first(first), extent(extent), ld(ld)
    {
        const int thread = threadIdx.x;
        k = ALONG_K ? thread % (TILE_K / 2) * 2 : thread / (SIDE / 2);
        across = ALONG_K ? thread / (TILE_K / 2) : thread % (SIDE / 2) * 2;
        from = ALONG_K ? x + (first + across) * ld + k : x + k * ld + first + across;
    }

    // Vector `v` of the panel that begins at `first_k`.
    template <bool ALIGNED>
    __device__ __forceinline__ double2 load(int v, int first_k, int last_k) const
    {
        const int x = first + across + (ALONG_K ? v * NEXT : 0);
        const int y = first_k + k + (ALONG_K ? 0 : v * NEXT);
        const int left = ALONG_K ? last_k - y : extent - x;
        const bool is_there = ALONG_K ? x < extent : y < last_k;
        return load2<ALIGNED>(from + v * NEXT * ld, is_there ? left : 0);
    }

    __device__ __forceinline__ void step()
    {
        from += ALONG_K ? TILE_K : TILE_K * ld;
    }

    // Stores vector `v`. Those along k are turned: half a warp, 4 vectors by 4 rows, writes to pair
    // of banks ((2 k) * (SIDE + 2) + across) % 16 = 4 k + across.
    __device__ __forceinline__ void deposit(double2 next, double (&tile)[TILE_K][SIDE + PAD],
                                            int v) const
    {
        if (ALONG_K) {
            tile[k + 0][across + v * NEXT] = next.x;
            tile[k + 1][across + v * NEXT] = next.y;
        } else {
            *(double2 *)&tile[k + v * NEXT][across] = next;
        }
    }
};

// Copies runs of 2 neighbours, `apart` elements apart, from a row of a tile to registers.
static __device__ __forceinline__ void pick(double (&values)[VALUES], const double *tile, int apart)
{
#pragma unroll
    for (int run = 0; run < RUNS; ++run)
        *(double2 *)&values[2 * run] = *(const double2 *)&tile[run * apart];
}

// Down one column, up the next: each multiply-add shares an operand with the one before, see 07.
static __device__ __forceinline__ void multiply(double (&sum)[VALUES][VALUES],
                                                const double (&a_value)[VALUES],
                                                const double (&b_value)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] += a_value[r] * b_value[q];
        }
}

// Two blocks must fit on a multiprocessor, hence the 2: 255 registers a thread, 128 of them sums.
template <bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED>
static __global__
__launch_bounds__(THREADS, 2) void gemm(int m, int n, int k, double alpha,
                                        const double *__restrict__ a, long long row_a,
                                        const double *__restrict__ b, long long row_b, double beta,
                                        double *__restrict__ c, long long row_c)
{
    __shared__ __align__(16) double a_tile[2][TILE_K][TILE_M + PAD]; // (buffer, k, rows of C)
    __shared__ __align__(16) double b_tile[2][TILE_K][TILE_N + PAD]; // (buffer, k, columns of C)
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    // Which rows and columns of the tile a thread sums.
    const int tx = warp % 2 * (RUNS * APART_N) + lane / 2 % 8 * 2; // along columns, in the tile
    const int ty = warp / 2 * (RUNS * APART_M) + lane / 16 * 4 + lane % 2 * 2;
    place<A_ALONG_K, TILE_M> of_a(a, row_a, first_row, m); // what this thread brings of A
    place<B_ALONG_K, TILE_N> of_b(b, row_b, first_col, n); // and of B

    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    int now = 0;                     // the buffer being read; the other one is being filled
#pragma unroll
    for (int v = 0; v < of_a.VECTORS; ++v)
        of_a.deposit(of_a.template load<ALIGNED>(v, 0, k), a_tile[now], v);
#pragma unroll
    for (int v = 0; v < of_b.VECTORS; ++v)
        of_b.deposit(of_b.template load<ALIGNED>(v, 0, k), b_tile[now], v);
    __syncthreads(); // the first tiles were written by all: complete before anyone reads them
#pragma unroll 2
    for (int next_k = TILE_K; next_k < k + TILE_K; next_k += TILE_K) {
        double2 a_next[of_a.VECTORS], b_next[of_b.VECTORS];
        of_a.step();
        of_b.step();
        // The last turn only computes: beyond k it loads zeros, from nowhere.
#pragma unroll
        for (int v = 0; v < of_a.VECTORS; ++v)
            a_next[v] = of_a.template load<ALIGNED>(v, next_k, k);
#pragma unroll
        for (int v = 0; v < of_b.VECTORS; ++v)
            b_next[v] = of_b.template load<ALIGNED>(v, next_k, k);
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            double a_value[VALUES], b_value[VALUES];
            pick(a_value, &a_tile[now][i][ty], APART_M);
            pick(b_value, &b_tile[now][i][tx], APART_N);
            multiply(sum, a_value, b_value);
        }
        now = 1 - now; // what was filled is read next
#pragma unroll
        for (int v = 0; v < of_a.VECTORS; ++v)
            of_a.deposit(a_next[v], a_tile[now], v);
#pragma unroll
        for (int v = 0; v < of_b.VECTORS; ++v)
            of_b.deposit(b_next[v], b_tile[now], v);
        __syncthreads(); // the new tiles are complete, and all have read the old ones: both at once
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += 2) {
            // Where this run of a thread's values lies in C, as the runs lie in the tile.
            const int row = first_row + ty + r / 2 * APART_M + r % 2;
            const int col = first_col + tx + q / 2 * APART_N;
            if (row < m)
                store2<ALIGNED>(&c[row * row_c + col], n - col, &sum[r][q], alpha, beta);
        }
}

// One of the four forms: an operand that runs along k in memory is turned on its way to the tile.
template <bool A_ALONG_K, bool B_ALONG_K>
static void launch_form(const struct lab_gemm *p, cudaStream_t stream)
{
    // The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall
    // matrix.
    const int blocks = ((p->m - 1) / TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    const bool is_aligned = (A_ALONG_K ? p->k : p->m) % 2 == 0 && p->row_a % 2 == 0 &&
                            (B_ALONG_K ? p->k : p->n) % 2 == 0 && p->row_b % 2 == 0 &&
                            p->n % 2 == 0 && p->row_c % 2 == 0;
    const auto kernel =
        is_aligned ? gemm<A_ALONG_K, B_ALONG_K, true> : gemm<A_ALONG_K, B_ALONG_K, false>;
    kernel<<<blocks, THREADS, 0, stream>>>(p->m, p->n, p->k, p->alpha_double, p->a_double, p->row_a,
                                           p->b_double, p->row_b, p->beta_double, p->c_double,
                                           p->row_c);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    if (p->a_is_transposed && p->b_is_transposed)
        launch_form<false, true>(p, stream); // TT: A is read across, B along k
    else if (p->a_is_transposed)
        launch_form<false, false>(p, stream); // TN: both across
    else if (p->b_is_transposed)
        launch_form<true, true>(p, stream); // NT: both along k
    else
        launch_form<true, false>(p, stream); // NN: A along k, B across
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"doubles_buffered", launch, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES});
