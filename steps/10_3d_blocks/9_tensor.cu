// Step 10.9: on tensor cores, which are twice as fast in double, by the mainloop of 12.9. Squares
// go to blocks as in 10.8. What comes after the product takes a larger share of the time now:
// reduce() has smaller pieces, for more SMs, up to 16 threads for an element, and
// begins early.
#include "families/syr2k.h"
#include "ptx/launch_early.h"
#include "tile/dmma.h"
#include "tile/grid.h"

using shape = tile_dmma_shape<4, 4, 2, 4>; // a square, and eight warps of 64 x 32
constexpr int SQUARE = shape::TILE_M, PANEL = shape::TILE_K;

// Squares go row by row, those on the diagonal last: each is its own mirror image, half the work.
static __host__ __device__ int squares_above(int n)
{
    return tile_count(n, SQUARE) * (tile_count(n, SQUARE) - 1) / 2;
}

static __device__ int2 corner_of(int n, int number)
{
    const int across = tile_count(n, SQUARE), above = squares_above(n);
    if (number >= above)
        return make_int2((number - above) * SQUARE, (number - above) * SQUARE);
    int row = 0;
    for (; number >= across - 1 - row; ++row)
        number -= across - 1 - row;
    return make_int2((row + 1 + number) * SQUARE, row * SQUARE);
}

// How sums go to blocks: `whole` squares to a block each, the others in `parts` parts of `each`
// panels.
struct decomposition {
    int whole, each, half, parts; // a sum has `half` panels, above the diagonal twice as many
};

// Copies of a square's rows of a matrix, along k, WIDTH values each.
template <int WIDTH> using row_iterator = tile_dmma_iterator<shape, SQUARE, true, WIDTH>;

// Panels first .. end - 1 of rows `row` .. of X, from panel `half` on of Y, and zeros after them.
template <int WIDTH> struct exchanging_iterator : row_iterator<WIDTH> {
    const double *x, *y;
    int left, values, more; // panels until Y; values of X's panels; from X's end to Y's

    __device__ __forceinline__ exchanging_iterator(const double *x, const double *y, int n,
                                                   int length, int half, int row, int first,
                                                   int end)
        : row_iterator<WIDTH>(first < half ? x : y, length, row, n, first % half * PANEL,
                              end_in(length, first < half ? min(end, half) : end - half)),
          x(x), y(y), left(half - first), values(half * PANEL),
          more(values + (end_in(length, end - half) - end_in(length, min(end, half))))
    {
    }

    static __device__ __forceinline__ int end_in(int length, int panels)
    {
        return min(panels * PANEL, length);
    }

    // As the mainloop calls it: copy `i` of the next panel, in turn.
    __device__ __forceinline__ void start(double *tile, int i)
    {
        row_iterator<WIDTH>::start(tile, i);
        if (i == row_iterator<WIDTH>::COUNT - 1) { // a choice, not a branch
            const bool exchanged = --left == 0;
            this->at = exchanged ? y + (this->at - x - values) : this->at;
            this->k_left += exchanged ? more : 0;
        }
    }
};

// 64 sums take 128 registers: one block to an SM.
template <int WIDTH>
static __global__ __launch_bounds__(shape::THREADS, 1) void syr2k(int n, int length,
                                                                  decomposition decomposition,
                                                                  const double *a, const double *b,
                                                                  double *d, double *c)
{
    extern __shared__ __align__(128) double memory[]; // above 48 KB it must be asked for
    const auto [whole, each, half, all_parts] = decomposition;
    const bool is_whole = (int)blockIdx.x < whole; // whole ones first, parts on the diagonal last
    const int above = squares_above(n), part = (int)blockIdx.x - whole;
    const int parts_above = tile_count(2 * half, each), parts_on = tile_count(half, each);
    const int cut_above = max(above - whole, 0);
    const int on = cut_above * parts_above; // parts before the diagonal's
    const bool is_above = part < on;
    const int parts = is_above ? parts_above : parts_on, rest = is_above ? part : part - on;
    const int number = is_whole ? blockIdx.x : whole + rest / parts + (is_above ? 0 : cut_above);
    const int2 corner = corner_of(n, number);
    const int all = number < above ? 2 * half : half, first = is_whole ? 0 : rest % parts * each;
    const int end = is_whole ? all : min(first + each, all);
    ptx_let_next_begin(); // reduce()
    exchanging_iterator<WIDTH> rows(b, a, n, length, half, corner.y, first, end);
    exchanging_iterator<WIDTH> columns(a, b, n, length, half, corner.x, first, end);
    tile_dmma_sums<shape> sum = {};
    tile_dmma_mainloop<shape>(sum, memory, end - first, rows, columns);
    if (!is_whole) { // to D, as a square of its own, for reduce(); whole ones straight to C
        double *const to = d + (size_t)part * (SQUARE * SQUARE);
        return tile_dmma_for_each<shape>(sum, [&](int y, int x, const double *pair) {
            *(double2 *)&to[y * SQUARE + x] = make_double2(pair[0], pair[1]);
        });
    }
    if (number >= above) { // rows of an odd number of doubles: down a column, banks differ
        double(&square)[SQUARE][SQUARE + 1] = *(double(*)[SQUARE][SQUARE + 1]) memory;
        __pipeline_commit(); // the last copies bring zeros that are not needed, but they write
        __pipeline_wait_prior(0);
        __syncthreads(); // and all have read the panels: their memory is free
        tile_dmma_for_each<shape>(sum, [&](int y, int x, const double *pair) {
            square[y][x] = pair[0];
            square[y][x + 1] = pair[1];
        });
        __syncthreads(); // the square is complete
        tile_dmma_for_each<shape>(sum, [&](int y, int x, double *pair) {
            pair[0] += square[x][y]; // its mirror image
            pair[1] += square[x + 1][y];
        });
    }
    tile_dmma_for_each<shape>(sum, [&](int y, int x, const double *pair) {
        const int k = corner.y + y, l = corner.x + x;
        double *const to = &c[(size_t)k * n + l];
        if (n % 2 == 0 && k <= l && l < n)
            *(double2 *)to = make_double2(0.5 * pair[0], 0.5 * pair[1]);
        else
            for (int i = 0; i < 2; ++i)
                if (k <= l + i && l + i < n)
                    to[i] = 0.5 * pair[i];
    });
}

constexpr int PIECE = 8;     // reduce() takes PIECE x PIECE elements of a square to a block
constexpr int DEEPEST = 16;  // threads in z that share an element's parts, at most
constexpr int AT_A_TIME = 8; // loads of such a thread on their way

// This thread's part of the sum of an element's parts, in an order that the sizes and the GPU
// decide.
static __device__ double partial_sum(const double *at, int parts)
{
    double sum = 0.0;
    const int deep = blockDim.z;
    for (int first = threadIdx.z; first < parts; first += AT_A_TIME * deep)
#pragma unroll // a condition for each load in place of a branch: none waits for another
        for (int i = 0; i < AT_A_TIME; ++i) {
            const int part = first + i * deep;
            sum += part < parts ? at[(size_t)part * (SQUARE * SQUARE)] : 0.0;
        }
    return sum;
}

// Adds the parts of square `whole` + blockIdx.x, on the diagonal to those of their mirror image,
// which is read along its rows and transposed in shared memory, where padding keeps columns apart.
static __global__ __launch_bounds__(PIECE *PIECE *DEEPEST) void reduce(int n,
                                                                       decomposition decomposition,
                                                                       const double *d, double *c)
{
    __shared__ double straight[DEEPEST][PIECE][PIECE], mirrored[DEEPEST][PIECE][PIECE + 1];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int number = decomposition.whole + (int)blockIdx.x;
    const bool is_on = number >= squares_above(n);
    const int parts =
        tile_count(is_on ? decomposition.half : 2 * decomposition.half, decomposition.each);
    const int2 square = corner_of(n, number);
    const int2 piece = make_int2((int)blockIdx.z * PIECE, (int)blockIdx.y * PIECE);
    if (is_on && piece.y > piece.x)
        return; // its mirror image adds this piece, too
    const int first =
        (is_on ? decomposition.parts - (int)gridDim.x * parts : 0) + blockIdx.x * parts;
    d += (size_t)first * (SQUARE * SQUARE); // the last parts of all are on the diagonal
    ptx_wait_for_earlier();                 // the parts are there
    straight[z][y][x] = partial_sum(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] = is_on ? partial_sum(d + (piece.x + y) * SQUARE + piece.y + x, parts) : 0.0;
    __syncthreads(); // the partial sums of all threads in z are there
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n) // the first in z adds all of them
        return;
    double sum = 0.0;
    for (int i = 0; i < (int)blockDim.z; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

constexpr int LEAST = 64; // values of a sum in a part at least
// Times, in units of a square's multiply-adds for one value of each row: to start a block, to write
// and read a part, and to launch the kernel that adds the parts. A unit takes half as long as in
// 10.8. Parts are added by more threads, which begin early: they cost as many units as before, and
// a block four times as many. Of four triples, this was the fastest for few rows.
constexpr double START = 64.0, PART = 0.64, PASS = 32.0;

// Squares above the diagonal that fill all multiprocessors, a block each, are taken whole. The rest
// would leave some without work: their sums are cut, unless it is cheaper to take them whole, too.
static struct decomposition decompose(const struct lab_syr2k *p)
{
    const int sms = max(1, lab_device_attribute(cudaDevAttrMultiProcessorCount));
    const int panels = tile_count(p->p * p->q, PANEL), on = tile_count(p->n, SQUARE);
    const int above = squares_above(p->n), rest = above % sms;
    const int room = rest ? 2 * (sms - rest) : 0; // two on the diagonal take as long as one above
    const double turns = (rest ? 2.0 : 0.0) + (on > room ? tile_count(on - room, sms) : 0);
    struct decomposition best = {above + on, panels, panels, 0};
    double least = turns * panels * PANEL + START;
    for (int parts = 1; parts <= 2 * sms; ++parts) {
        const int each = tile_count(2 * panels, parts);
        const int blocks = rest * tile_count(2 * panels, each) + on * tile_count(panels, each);
        const double time =
            tile_count(blocks, sms) * (1.0 * each * PANEL + START) + blocks * PART + PASS;
        if (each >= LEAST / PANEL && time < least) {
            least = time;
            best = {above - rest, each, panels, blocks};
        }
    }
    return best;
}

static size_t workspace(const struct lab_syr2k *p) // D: a square for each part
{
    return decompose(p).parts * sizeof(double) * SQUARE * SQUARE;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct decomposition decomposition = decompose(p);
    const int length = p->p * p->q, blocks = decomposition.whole + decomposition.parts;
    const int cut = squares_above(p->n) + tile_count(p->n, SQUARE) - decomposition.whole;
    const auto kernel = length % 2 == 0 ? syr2k<2> : syr2k<1>;
    const size_t panels = shape::STAGES * 2 * sizeof(double[row_iterator<2>::DOUBLES]);
    const size_t bytes = max(panels, sizeof(double[SQUARE][SQUARE + 1]));
    double *const d = (double *)p->workspace;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, shape::THREADS, bytes, stream>>>(p->n, length, decomposition, p->a, p->b, d,
                                                      p->c);
    status = cudaGetLastError();
    if (status != cudaSuccess || cut == 0)
        return status;
    const int parts = tile_count(decomposition.half, decomposition.each); // twice as many above
    const int deep = min(tile_count(2 * parts, AT_A_TIME), DEEPEST);
    return launch_early(reduce, dim3(cut, SQUARE / PIECE, SQUARE / PIECE), dim3(PIECE, PIECE, deep),
                        0, stream, p->n, decomposition, (const double *)d, p->c);
}

LAB_EXPORT(syr2k, {"tensor_split_k", launch, workspace, LAB_REPEATABLE | LAB_TENSOR_DOUBLES});
