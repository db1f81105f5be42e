// Step 10.8: split-K after whole waves. A block that has a square above the diagonal goes along the
// rows twice, the second time with A and B exchanged, and has both halves of the sum: squares below
// the diagonal are not needed. Squares that fill all multiprocessors go straight to C. Only the
// rest is cut, in as many parts as a small model of the costs says, and four threads share the
// parts of an element. Long sums take wide panels, which need fewer barriers.
#include "families/syr2k.h"
#include "syr2k/mainloop.h"
#include "tile/grid.h"

constexpr int SQUARE = SYR2K_SQUARE, THREADS = SYR2K_THREADS, VALUES = SYR2K_VALUES; // as in 10.7
constexpr int WARPS_N = SYR2K_WARPS_N;

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

// 64 sums take 128 registers: one block to an SM.
template <int TILE_K, int WIDTH>
static __global__
__launch_bounds__(THREADS, 1) void syr2k(int n, int length, decomposition decomposition,
                                         const double *a, const double *b, double *d, double *c)
{
    extern __shared__ __align__(16) char memory[]; // above 48 KB it must be asked for
    syr2k_panels<TILE_K> &panel = *(syr2k_panels<TILE_K> *)memory;
    const auto [whole, each, half, all_parts] = decomposition;
    const bool is_whole = (int)blockIdx.x < whole; // whole ones first, parts on the diagonal last
    const int above = squares_above(n), part = (int)blockIdx.x - whole;
    const int parts_above = tile_count(2 * half, each), parts_on = tile_count(half, each);
    const int cut = max(above - whole, 0), on = cut * parts_above; // parts before the diagonal's
    const bool is_above = part < on;
    const int parts = is_above ? parts_above : parts_on, rest = is_above ? part : part - on;
    const int number = is_whole ? blockIdx.x : whole + rest / parts + (is_above ? 0 : cut);
    const int2 corner = corner_of(n, number);
    const int all = number < above ? 2 * half : half, first = is_whole ? 0 : rest % parts * each;
    const int end = is_whole ? all : min(first + each, all);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int ty = warp / WARPS_N * (4 * VALUES) + lane / 16 * 2 + lane % 2; // the lane's first row
    const int tx = warp % WARPS_N * (8 * VALUES) + lane / 2 % 8; // and column: of B and of A
    double sum[VALUES][VALUES] = {}; // in registers: every index below is known when compiling
    // From panel `half` on A and B are exchanged: the second half of the sum.
    syr2k_mainloop<TILE_K, WIDTH>(sum, panel, n, length, half, first, end, a, b, corner, ty, tx);
    const auto for_each = [&](auto what) { // a sum, and where it stands in the square
        for (int i = 0; i < VALUES * VALUES; ++i)
            what(sum[i / VALUES][i % VALUES], ty + i / VALUES * 4, tx + i % VALUES * 8);
    };
    if (!is_whole) { // to D, as a square of its own, for reduce(); whole ones straight to C
        double *const to = d + (size_t)part * (SQUARE * SQUARE);
        return for_each([&](double sum, int y, int x) { to[y * SQUARE + x] = sum; });
    }
    if (number >= above) { // rows of an odd number of doubles: down a column, banks differ
        double(&square)[SQUARE][SQUARE + 1] = *(double(*)[SQUARE][SQUARE + 1]) memory;
        __pipeline_commit(); // the last copies bring zeros that are not needed, but they write
        __pipeline_wait_prior(0);
        __syncthreads(); // and all have read the panels: their memory is free
        for_each([&](double sum, int y, int x) { square[y][x] = sum; });
        __syncthreads();                                                   // the square is complete
        for_each([&](double &sum, int y, int x) { sum += square[x][y]; }); // its mirror image
    }
    for_each([&](double sum, int y, int x) {
        const int k = corner.y + y, l = corner.x + x;
        if (k <= l && l < n)
            c[(size_t)k * n + l] = 0.5 * sum;
    });
}

constexpr int PIECE = 16; // reduce() takes PIECE x PIECE elements of a square to a block
constexpr int DEEP = 4;   // threads in z that share an element's parts

// This thread's part of the sum of an element's parts, in an order that the sizes alone decide.
static __device__ double partial_sum(const double *at, int parts)
{
    double sum = 0.0;
    for (int first = threadIdx.z; first < parts; first += 8 * DEEP)
#pragma unroll // a condition for each load in place of a branch: none waits for another
        for (int part = first; part < first + 8 * DEEP; part += DEEP)
            sum += part < parts ? at[(size_t)part * (SQUARE * SQUARE)] : 0.0;
    return sum;
}

// Adds the parts of square `whole` + blockIdx.x, on the diagonal to those of their mirror image,
// which is read along its rows and transposed in shared memory, where padding keeps columns apart.
static __global__ __launch_bounds__(PIECE *PIECE *DEEP) void reduce(int n,
                                                                    decomposition decomposition,
                                                                    const double *d, double *c)
{
    __shared__ double straight[DEEP][PIECE][PIECE], mirrored[DEEP][PIECE][PIECE + 1];
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
    straight[z][y][x] = partial_sum(d + (piece.y + y) * SQUARE + piece.x + x, parts);
    mirrored[z][y][x] = is_on ? partial_sum(d + (piece.x + y) * SQUARE + piece.y + x, parts) : 0.0;
    __syncthreads(); // the partial sums of all threads in z are there
    const int k = square.y + piece.y + y, l = square.x + piece.x + x;
    if (z > 0 || k > l || l >= n) // the first in z adds all of them
        return;
    double sum = 0.0;
    for (int i = 0; i < DEEP; ++i)
        sum += straight[i][y][x] + mirrored[i][x][y];
    c[(size_t)k * n + l] = 0.5 * sum;
}

constexpr int WIDE = 32, NARROW = 16, SMALL = 8; // widths of a panel
constexpr int MANY = 8; // wide panels to a part at least: with fewer, narrow ones are there sooner
constexpr int LEAST = 64; // values of a sum in a part at least
// Times, in units of a square's multiply-adds for one value of each row: to start a block, to write
// and read a part, and to launch the kernel that adds the parts.
constexpr double START = 16.0, PART = 0.64, PASS = 32.0;

// Squares above the diagonal that fill all multiprocessors, a block each, are taken whole. The rest
// would leave some without work: their sums are cut, unless it is cheaper to take them whole, too.
static struct decomposition decompose(const struct lab_syr2k *p, int panel)
{
    const int sms = max(1, lab_device_attribute(cudaDevAttrMultiProcessorCount));
    const int panels = tile_count(p->p * p->q, panel), on = tile_count(p->n, SQUARE);
    const int above = squares_above(p->n), rest = above % sms;
    const int room = rest ? 2 * (sms - rest) : 0; // two on the diagonal take as long as one above
    const double turns = (rest ? 2.0 : 0.0) + (on > room ? tile_count(on - room, sms) : 0);
    const int whole = panel > SMALL ? on : 0; // small panels leave no room to turn a square
    struct decomposition best = {above + whole, panels, panels, on - whole};
    double least = turns * panels * panel + START;
    for (int parts = 1; parts <= 2 * sms; ++parts) {
        const int each = tile_count(2 * panels, parts);
        const int blocks = rest * tile_count(2 * panels, each) + on * tile_count(panels, each);
        const double time =
            tile_count(blocks, sms) * (1.0 * each * panel + START) + blocks * PART + PASS;
        if (each >= LEAST / panel && time < least) {
            least = time;
            best = {above - rest, each, panels, blocks};
        }
    }
    return best;
}

// For odd rows, and even ones. GPUs with little shared memory have few lanes, too: small panels do.
static const struct width {
    int panel, bytes;
    decltype(&syr2k<WIDE, 1>) of[2];
} widths[] = {{SMALL, sizeof(syr2k_panels<SMALL>), {syr2k<SMALL, 1>, syr2k<SMALL, 2>}},
              {NARROW, sizeof(double[SQUARE][SQUARE + 1]), {syr2k<NARROW, 1>, syr2k<NARROW, 2>}},
              {WIDE, sizeof(syr2k_panels<WIDE>), {syr2k<WIDE, 1>, syr2k<WIDE, 2>}}};

static const struct width &width_of(const struct lab_syr2k *p)
{
    const int bytes = lab_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const bool is_wide = bytes >= widths[2].bytes && decompose(p, WIDE).each >= MANY;
    return widths[is_wide ? 2 : bytes >= widths[1].bytes];
}

static size_t workspace(const struct lab_syr2k *p) // D: a square for each part
{
    return decompose(p, width_of(p).panel).parts * sizeof(double) * SQUARE * SQUARE;
}

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    const struct width &width = width_of(p);
    const struct decomposition decomposition = decompose(p, width.panel);
    const int length = p->p * p->q, blocks = decomposition.whole + decomposition.parts;
    const int cut = squares_above(p->n) + tile_count(p->n, SQUARE) - decomposition.whole;
    const auto kernel = width.of[length % 2 == 0];
    double *const d = (double *)p->workspace;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, width.bytes);
    kernel<<<blocks, THREADS, width.bytes, stream>>>(p->n, length, decomposition, p->a, p->b, d,
                                                     p->c);
    const dim3 pieces(cut, SQUARE / PIECE, SQUARE / PIECE);
    if (cut > 0)
        reduce<<<pieces, dim3(PIECE, PIECE, DEEP), 0, stream>>>(p->n, decomposition, d, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(syr2k, {"hybrid_split_k", launch, workspace, LAB_REPEATABLE});
