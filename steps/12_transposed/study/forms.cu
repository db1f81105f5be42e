// The study of step 12: 12.6 as a template on the semiring, and with it on the type of the
// elements. Rows leave out one thing each. `padded` has no comparison in its loop: both operands
// are copied first, to whole tiles with zeros around. `doubles` asks for a panel only when the one
// before is multiplied; `doubles_buffered` before that, as 12.6 does. The rows with `pointers` are
// the paper's own kernels, in paper.h.
#include "families/gemm.h"
#include "paper.h"
#include "semirings.h"

constexpr int VALUES = 8;   // rows and columns of C per thread
constexpr int TILE_N = 128; // columns of C per block
constexpr int TILE_K = 8;   // a short panel: the tiles stay small, the sums are elsewhere

// Warps are 4 x 8 threads, two of them side by side. 64 sums of doubles take 128 registers: of
// doubles a block has half of the threads, so that two blocks fit on a multiprocessor, too.
template <class WORD> struct shape {
    static constexpr int RUN = 16 / sizeof(WORD); // neighbours that are moved at once
    static constexpr int THREADS = sizeof(WORD) == 4 ? 256 : 128;
    static constexpr int TILE_M = THREADS / 2; // rows of C per block: 128 or 64
    static constexpr int APART_M = 4 * RUN;    // from a thread's run of rows to its next
    static constexpr int APART_N = 8 * RUN;    // likewise of columns
    static constexpr int PAD = RUN;            // see deposit(); every row of a tile stays aligned
};

// Neighbours, moved at once.
template <class WORD> struct run {
    alignas(16) WORD v[shape<WORD>::RUN];
};

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
template <class WORD>
static __device__ __forceinline__ void store(WORD *c, WORD sum, WORD alpha, WORD beta)
{
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

// Stores a run in a row of C, of which `count` exist.
template <bool ALIGNED, class WORD>
static __device__ __forceinline__ void store_run(WORD *__restrict__ c, int count, const WORD *sum,
                                                 WORD alpha, WORD beta)
{
    constexpr int RUN = shape<WORD>::RUN;
    if (!ALIGNED) {
        for (int i = 0; i < RUN; ++i)
            if (i < count)
                store(&c[i], sum[i], alpha, beta);
    } else if (count > 0) {
        run<WORD> value = {};
        if (beta != 0)
            value = *(const run<WORD> *)c;
        for (int i = 0; i < RUN; ++i)
            store(&value.v[i], sum[i], alpha, beta);
        *(run<WORD> *)c = value;
    }
}

// What a thread loads of a panel of SIDE rows or columns, and where it stores that in the tile.
// Along k a warp takes 8 k, whole sectors; across it takes neighbours of one k.
template <class S, bool ALONG_K, bool ALIGNED, bool PADDED, int SIDE> struct pieces {
    typedef typename S::word WORD;
    static constexpr int RUN = shape<WORD>::RUN;
    static constexpr int THREADS = shape<WORD>::THREADS;
    static constexpr int COUNT = SIDE * TILE_K / RUN / THREADS;
    static constexpr int NEXT = ALONG_K ? THREADS / (TILE_K / RUN) : THREADS / (SIDE / RUN);
    int k, across;   // in the tile, of the first; the others are NEXT rows, or NEXT k, further on
    int left[COUNT]; // of each piece: along k, k left in its row; across, elements left in the row
    const WORD *from;
    long long ld;

    __device__ __forceinline__ pieces(const WORD *x, long long ld, int first, int extent,
                                      int last_k)
        : ld(ld)
    {
        const int thread = threadIdx.x;
        k = ALONG_K ? thread % (TILE_K / RUN) * RUN : thread / (SIDE / RUN);
        across = ALONG_K ? thread / (TILE_K / RUN) : thread % (SIDE / RUN) * RUN;
        for (int i = 0; i < COUNT; ++i)
            left[i] = !ALONG_K                             ? extent - first - across
                      : first + across + i * NEXT < extent ? last_k - k
                                                           : 0;
        from = ALONG_K ? x + (first + across) * ld + k : x + k * ld + first + across;
    }

    // Piece `i` of the panel that begins at `first_k`; what does not exist adds nothing to a sum.
    __device__ __forceinline__ run<WORD> load(int i, int first_k, int last_k) const
    {
        const WORD *const piece = from + i * NEXT * ld;
        const int count = PADDED                            ? last_k - first_k
                          : ALONG_K                         ? left[i] - first_k
                          : first_k + k + i * NEXT < last_k ? left[i]
                                                            : 0;
        run<WORD> values;
        if (ALIGNED || PADDED) {
            if (count > 0)
                return *(const run<WORD> *)piece;
            for (int r = 0; r < RUN; ++r)
                values.v[r] = S::zero;
        } else {
            for (int r = 0; r < RUN; ++r)
                values.v[r] = r < count ? piece[r] : S::zero;
        }
        return values;
    }

    __device__ __forceinline__ void step()
    {
        from += ALONG_K ? TILE_K : TILE_K * ld;
    }

    // Stores it. Those along k are turned: of floats a warp, 2 runs by 16 rows, writes to bank
    // (4 * k * (128 + 4) + across) % 32; of doubles half a warp, 4 runs by 4 rows, to pair of banks
    // (2 * k * (SIDE + 2) + across) % 16: all of them.
    __device__ __forceinline__ void
    deposit(const run<WORD> &next, WORD (&tile)[TILE_K][SIDE + shape<WORD>::PAD], int i) const
    {
        if constexpr (ALONG_K)
            for (int r = 0; r < RUN; ++r)
                tile[k + r][across + i * NEXT] = next.v[r];
        else
            *(run<WORD> *)&tile[k + i * NEXT][across] = next;
    }
};

// Copies runs of neighbours, `apart` elements apart, from a row of a tile to registers.
template <class WORD>
static __device__ __forceinline__ void pick(WORD (&values)[VALUES], const WORD *tile, int apart)
{
#pragma unroll
    for (int i = 0; i < VALUES; i += shape<WORD>::RUN)
        *(run<WORD> *)&values[i] = *(const run<WORD> *)&tile[i / shape<WORD>::RUN * apart];
}

// Down one column, up the next: each multiply-add shares an operand with the one before, see 07.
template <class S, class WORD>
static __device__ __forceinline__ void
multiply(WORD (&sum)[VALUES][VALUES], const WORD (&a_value)[VALUES], const WORD (&b_value)[VALUES])
{
#pragma unroll
    for (int q = 0; q < VALUES; ++q)
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int r = q % 2 ? VALUES - 1 - i : i;
            sum[r][q] = S::multiply_add(sum[r][q], a_value[r], b_value[q]);
        }
}

template <class S, bool BUFFERED, bool PADDED, bool A_ALONG_K, bool B_ALONG_K, bool ALIGNED,
          class WORD = typename S::word>
static __global__ __launch_bounds__(shape<WORD>::THREADS,
                                    2) void gemm(int m, int n, int k, WORD alpha,
                                                 const WORD *__restrict__ a, long long row_a,
                                                 const WORD *__restrict__ b, long long row_b,
                                                 WORD beta, WORD *__restrict__ c, long long row_c)
{
    typedef shape<WORD> shape;
    constexpr int TILE_M = shape::TILE_M, RUN = shape::RUN;
    constexpr int BUFFERS = BUFFERED ? 2 : 1;
    __shared__ __align__(16) WORD a_tile[BUFFERS][TILE_K][TILE_M + shape::PAD]; // (buffer, k, rows)
    __shared__ __align__(16) WORD b_tile[BUFFERS][TILE_K][TILE_N + shape::PAD]; // and columns of C
    const int tiles_across = (n - 1) / TILE_N + 1;
    const int first_row = (int)blockIdx.x / tiles_across * TILE_M;
    const int first_col = (int)blockIdx.x % tiles_across * TILE_N;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int tx = warp % 2 * 64 + lane / 2 % 8 * RUN; // along columns, in the tile
    const int ty = warp / 2 * 32 + (lane / 16 * 2 + lane % 2) * RUN;
    pieces<S, A_ALONG_K, ALIGNED, PADDED, TILE_M> of_a(a, row_a, first_row, m, k);
    pieces<S, B_ALONG_K, ALIGNED, PADDED, TILE_N> of_b(b, row_b, first_col, n, k);

    WORD sum[VALUES][VALUES]; // in registers: every index below is known when compiling
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            sum[r][q] = S::zero;
    run<WORD> a_next[of_a.COUNT], b_next[of_b.COUNT];
    const auto load = [&](int first_k) {
#pragma unroll
        for (int i = 0; i < of_a.COUNT; ++i)
            a_next[i] = of_a.load(i, first_k, k);
#pragma unroll
        for (int i = 0; i < of_b.COUNT; ++i)
            b_next[i] = of_b.load(i, first_k, k);
        of_a.step();
        of_b.step();
    };
    const auto deposit = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < of_a.COUNT; ++i)
            of_a.deposit(a_next[i], a_tile[buffer], i);
#pragma unroll
        for (int i = 0; i < of_b.COUNT; ++i)
            of_b.deposit(b_next[i], b_tile[buffer], i);
    };
    int now = 0; // the buffer being read; the other one is being filled
    load(0);
    deposit(now);
    __syncthreads(); // all threads have written the first tiles
#pragma unroll 2
    for (int next_k = TILE_K; next_k < k + TILE_K; next_k += TILE_K) {
        if (BUFFERED)
            load(next_k); // the last iteration only computes: beyond k it reads no memory
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            WORD a_value[VALUES], b_value[VALUES];
            pick(a_value, &a_tile[now][i][ty], shape::APART_M);
            pick(b_value, &b_tile[now][i][tx], shape::APART_N);
            multiply<S>(sum, a_value, b_value);
        }
        if (BUFFERED) {
            now = 1 - now;
        } else {
            load(next_k);
            __syncthreads(); // all have read the tiles: only now may the next panel overwrite them
        }
        deposit(now);
        __syncthreads(); // the new tiles are complete, and of two buffers all have read the old one
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; q += RUN) {
            // Where this run of a thread's values lies in C, as the runs lie in the tile.
            const int row = first_row + ty + r / RUN * shape::APART_M + r % RUN;
            const int col = first_col + tx + q / RUN * shape::APART_N;
            if (row < m)
                store_run<ALIGNED>(&c[row * row_c + col], n - col, &sum[r][q], alpha, beta);
        }
}

// Copies a matrix, `rows` x `columns` as it is stored, to rows of `to_row` elements, of which there
// are as many as the grid has blocks; zeros stand where there is none.
static __global__ void pad(int rows, int columns, const float *__restrict__ from, long long row,
                           float *__restrict__ to, int to_row)
{
    const int y = blockIdx.x;
    for (int x = threadIdx.x; x < to_row; x += blockDim.x)
        to[(size_t)y * to_row + x] = y < rows && x < columns ? from[y * row + x] : 0.0f;
}

static int round_up(int n, int tile)
{
    return ((n - 1) / tile + 1) * tile;
}

// The padded copies: whole tiles of A, then of B, each as it is stored.
struct padded {
    int k, rows_a, row_a, rows_b, row_b;
    size_t of_a, of_b; // elements
};

static padded padded_of(const struct lab_gemm *p)
{
    const int m = round_up(p->m, shape<float>::TILE_M), n = round_up(p->n, TILE_N);
    padded all = {round_up(p->k, TILE_K)};
    all.rows_a = p->a_is_transposed ? all.k : m;
    all.row_a = p->a_is_transposed ? m : all.k;
    all.rows_b = p->b_is_transposed ? n : all.k;
    all.row_b = p->b_is_transposed ? all.k : n;
    all.of_a = (size_t)all.rows_a * all.row_a;
    all.of_b = (size_t)all.rows_b * all.row_b;
    return all;
}

static size_t workspace(const struct lab_gemm *p)
{
    return (padded_of(p).of_a + padded_of(p).of_b) * sizeof(float);
}

// The operands of a launch, in either type: the problem's own, or padded copies.
template <class WORD> struct operands {
    int k;
    const WORD *a, *b;
    long long row_a, row_b;
    WORD alpha, beta, *c;
};

// One of the four forms: an operand that runs along k in memory is turned on its way to the tile.
template <class S, bool BUFFERED, bool PADDED, bool A_ALONG_K, bool B_ALONG_K>
static void launch_form(const struct lab_gemm *p, const operands<typename S::word> &o,
                        cudaStream_t stream)
{
    typedef shape<typename S::word> shape;
    constexpr int RUN = shape::RUN;
    // The grid is one-dimensional in every step: its y side ends at 65535, too few for a tall
    // matrix.
    const int blocks = ((p->m - 1) / shape::TILE_M + 1) * ((p->n - 1) / TILE_N + 1);
    const bool is_aligned =
        (PADDED || ((A_ALONG_K ? p->k : p->m) % RUN == 0 && (B_ALONG_K ? p->k : p->n) % RUN == 0 &&
                    p->row_a % RUN == 0 && p->row_b % RUN == 0)) &&
        p->n % RUN == 0 && p->row_c % RUN == 0;
    const auto kernel = is_aligned ? gemm<S, BUFFERED, PADDED, A_ALONG_K, B_ALONG_K, true>
                                   : gemm<S, BUFFERED, PADDED, A_ALONG_K, B_ALONG_K, false>;
    kernel<<<blocks, shape::THREADS, 0, stream>>>(p->m, p->n, o.k, o.alpha, o.a, o.row_a, o.b,
                                                  o.row_b, o.beta, o.c, p->row_c);
}

template <class S, bool BUFFERED, bool PADDED>
static cudaError_t launch(const struct lab_gemm *p, const operands<typename S::word> &o,
                          cudaStream_t stream)
{
    if (p->a_is_transposed && p->b_is_transposed)
        launch_form<S, BUFFERED, PADDED, false, true>(p, o, stream); // TT: B along k
    else if (p->a_is_transposed)
        launch_form<S, BUFFERED, PADDED, false, false>(p, o, stream); // TN: neither
    else if (p->b_is_transposed)
        launch_form<S, BUFFERED, PADDED, true, true>(p, o, stream); // NT: both
    else
        launch_form<S, BUFFERED, PADDED, true, false>(p, o, stream); // NN: A
    return cudaGetLastError();
}

static cudaError_t launch_plus_times(const struct lab_gemm *p, cudaStream_t stream)
{
    const operands<float> o = {p->k, p->a, p->b, p->row_a, p->row_b, p->alpha, p->beta, p->c};
    return launch<plus_times<float>, true, false>(p, o, stream);
}

static cudaError_t launch_padded(const struct lab_gemm *p, cudaStream_t stream)
{
    const padded all = padded_of(p);
    const bool ta = p->a_is_transposed, tb = p->b_is_transposed;
    float *const a = (float *)p->workspace, *const b = a + all.of_a;
    pad<<<all.rows_a, 256, 0, stream>>>(ta ? p->k : p->m, ta ? p->m : p->k, p->a, p->row_a, a,
                                        all.row_a);
    pad<<<all.rows_b, 256, 0, stream>>>(tb ? p->n : p->k, tb ? p->k : p->n, p->b, p->row_b, b,
                                        all.row_b);
    const operands<float> o = {all.k, a, b, all.row_a, all.row_b, p->alpha, p->beta, p->c};
    return launch<plus_times<float>, true, true>(p, o, stream);
}

template <bool BUFFERED>
static cudaError_t launch_doubles(const struct lab_gemm *p, cudaStream_t stream)
{
    const operands<double> o = {p->k,     p->a_double,     p->b_double,    p->row_a,
                                p->row_b, p->alpha_double, p->beta_double, p->c_double};
    return launch<plus_times<double>, BUFFERED, false>(p, o, stream);
}

LAB_EXPORT(gemm, {"plus_times", launch_plus_times, NULL, LAB_GEMM_ALL},
           {"padded", launch_padded, workspace, LAB_GEMM_ALL},
           {"doubles", launch_doubles<false>, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES},
           {"doubles_buffered", launch_doubles<true>, NULL, LAB_GEMM_ALL | LAB_GEMM_DOUBLES},
           {"pointers", paper::launch_floats<true>, NULL, LAB_GEMM_ALL},
           {"pointers_doubles", paper::launch_doubles<false>, NULL,
            LAB_GEMM_ALL | LAB_GEMM_DOUBLES},
           {"pointers_doubles_prefetch", paper::launch_doubles<true>, NULL,
            LAB_GEMM_ALL | LAB_GEMM_DOUBLES});
