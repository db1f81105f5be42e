// Step 14.6: a tile for each shape of C. Of three tiles, and of two ways to add parts, the launch
// takes those for which it expects the least time, from what a multiprocessor multiplies in a
// microsecond and what parts cost, for tall, thin and small matrices as for large ones.
#include "families/gemm.h"
#include "ptx/launch_early.h"
#include "ptx/opaque.h"
#include "ptx/shared.h"

#include <cuda_pipeline.h>

constexpr int COLS = 8;          // of C per thread
constexpr int WARP_N = 8 * COLS; // columns of C per warp: 4 x 8 threads
constexpr int APART_M = 16;      // from a thread's run of 4 rows to its next
constexpr int APART_N = 32;      // likewise of columns
constexpr int TILE_K = 16;
constexpr int STAGES = 3; // panels in shared memory: one is used while two are on their way
constexpr int PAD = 4;    // a multiple of 4: every row of a tile stays aligned
constexpr int GROUP = 16; // rows of tiles whose blocks run at the same time

// A block's tile, of warps beside and below each other.
template <int ROWS_OF_THREAD, int WARPS_DOWN, int WARPS_ACROSS> struct shape {
    static constexpr int ROWS = ROWS_OF_THREAD, ACROSS = WARPS_ACROSS, WARP_M = 4 * ROWS;
    static constexpr int THREADS = 32 * WARPS_DOWN * WARPS_ACROSS;
    static constexpr int BLOCKS_PER_SM =
        (ROWS == 12 || ACROSS == 1 ? 384 : 512) / THREADS; // no spill
    static constexpr int TILE_M = WARP_M * WARPS_DOWN, TILE_N = WARP_N * WARPS_ACROSS;
    static constexpr int A_ROW = TILE_M + PAD, A_FLOATS = TILE_K * A_ROW;
    static constexpr int STAGE = A_FLOATS + TILE_K * TILE_N; // floats of a panel of A and of B
    static constexpr int BYTES = STAGES * STAGE * (int)sizeof(float);
    static constexpr int QUADS = ROWS * COLS / 4;                   // runs of 4 values of a thread
    static constexpr size_t PART = sizeof(float) * TILE_M * TILE_N; // bytes of a block's sums
    // Beside 12 x 8 values, by the instructions for a multiply-add.
    static constexpr double SPEED = ROWS == 12 ? 1.0 : ACROSS == 2 ? 0.98 : 0.97;
};

// How the tiles are shared out. The first `blocks` blocks have the panels of the first `divided`
// tiles, as many each, one after the other along k; every other block has a tile.
struct shares {
    int tiles_down, tiles_across, panels; // of C; of a tile
    int divided, blocks;
    bool handed_on; // a part goes to the next block; else a second kernel adds all of them

    // Scratch memory begins with a flag for each block: that its part is there.
    __host__ __device__ size_t flag_bytes() const
    {
        return (blocks * sizeof(unsigned) + 255) / 256 * 256;
    }

    // The first panel of a block, of all panels of the divided tiles; and the block of a panel.
    __host__ __device__ int begin_of(int block) const
    {
        const int each = divided * panels / blocks, longer = divided * panels % blocks;
        return block * each + min(block, longer); // the first ones have one more
    }
    __device__ int block_of(int panel) const
    {
        const int each = divided * panels / blocks, longer = divided * panels % blocks;
        return panel < longer * (each + 1) ? panel / (each + 1)
                                           : longer + (panel - longer * (each + 1)) / each;
    }
};

// What a block has of the tile with the last panel before `end`.
struct share_of_tile {
    int tile, from_panel, panels;
};

static __device__ __forceinline__ share_of_tile share_at(const shares &s, int block, int end)
{
    if (block >= s.blocks)
        return {s.divided + block - s.blocks, 0, s.panels};
    const int tile = (end - 1) / s.panels, from = max(s.begin_of(block) - tile * s.panels, 0);
    return {tile, from, end - tile * s.panels - from};
}

// The first row and column of a tile. GROUP rows of tiles go together, column by column: what the
// blocks at work read of A and B is then about as high as it is wide, and little.
template <class S>
static __device__ __forceinline__ void place(const shares &s, int tile, int *row, int *col)
{
    const int of_group = GROUP * s.tiles_across, first = tile / of_group * GROUP;
    const int high = min(s.tiles_down - first, GROUP);
    *row = (first + tile % of_group % high) * S::TILE_M;
    *col = tile % of_group / high * S::TILE_N;
}

// Where the values of a thread lie in the tile. Lanes 1 apart share columns and lanes 2 apart rows:
// the hardware serves two groups of 8 lanes of a 16-byte read in one wavefront where it finds the
// same address either way.
template <class S> static __device__ __forceinline__ int row_of(int thread)
{
    return thread / 32 / S::ACROSS * S::WARP_M + (thread % 2 + thread / 4 % 2 * 2) * 4;
}

template <class S> static __device__ __forceinline__ int col_of(int thread)
{
    return thread / 32 % S::ACROSS * WARP_N + (thread / 2 % 2 + thread % 32 / 8 * 2) * 4;
}

// What a thread copies of a panel. A lies along k and is turned on its way, an element at a time;
// of B vectors, or where rows are not aligned elements. Past the edge of C it copies something
// else, since nothing that comes of it is stored: of A the first row again, of B what lies a tile
// before. Were it one element for all lanes, the hardware would make a copy for each, one after
// another.
template <class S, bool ALIGNED> struct copies {
    static constexpr int A_K = 8; // lanes along k: of 8 k and 4 rows no two go to one bank
    static constexpr int A_NEXT = S::THREADS / A_K, A_ROWS = S::TILE_M / A_NEXT;
    static constexpr int A_COUNT = A_ROWS * (TILE_K / A_K);
    static constexpr int WIDTH = ALIGNED ? 4 : 1;
    static constexpr int B_ACROSS = S::TILE_N / WIDTH; // threads on a row of B
    static constexpr int B_NEXT = S::THREADS / B_ACROSS, B_COUNT = TILE_K / B_NEXT;
    static_assert(B_ACROSS <= S::THREADS, "a thread's copies have one column");
    static constexpr int COUNT = A_COUNT + B_COUNT;                 // of a panel
    static constexpr int APART = COUNT > 20 ? 2 : 4;                // k from one turn to the next
    static constexpr int TURN = (COUNT - 1) / (TILE_K / APART) + 1; // copies of a turn
    const float *a, *b;                                             // of the next panel
    unsigned a_to, b_to;                                            // in the first stage
    unsigned down[A_ROWS]; // bytes to a row of A, for each element that a row has

    __device__ __forceinline__ copies(const struct lab_gemm &p, int first_row, int first_col,
                                      int first_k, float *shared)
    {
        const int thread = threadIdx.x, a_k = thread % A_K, b_col = thread % B_ACROSS * WIDTH;
        const int row = first_row + thread / A_K, col = first_col + b_col;
        const int from_row = row < p.m ? row : first_row;
        const int from_col = col < p.n ? col : first_col > 0 ? col - S::TILE_N : 0;
        a = p.a + (size_t)from_row * p.k + first_k + a_k;
        b = p.b + (size_t)(first_k + thread / B_ACROSS) * p.n + from_col;
        a_to = ptx_shared_address(shared + a_k * S::A_ROW + thread / A_K);
        b_to = ptx_shared_address(shared + S::A_FLOATS + thread / B_ACROSS * S::TILE_N + b_col);
#pragma unroll
        for (int i = 0; i < A_ROWS; ++i)
            down[i] = i * A_NEXT < p.m - from_row ? i * A_NEXT * (unsigned)sizeof(float) : 0;
    }

    // Starts the copy of this number of the next panel to the stage that lies so many bytes after
    // the first, if `is_there`.
    __device__ __forceinline__ void start(int number, unsigned stage, int n, unsigned k,
                                          bool is_there)
    {
        const int i = number / (TILE_K / A_K), j = number % (TILE_K / A_K) * A_K;
        const int down_b = (number - A_COUNT) * B_NEXT;
        if (number < A_COUNT)
            ptx_copy_if<1>(a_to + stage + 4 * (i * A_NEXT + j * S::A_ROW),
                           (const float *)((const char *)a + (size_t)down[i] * k) + j, is_there);
        else if (number < COUNT)
            ptx_copy_if<WIDTH>(b_to + stage + 4 * down_b * S::TILE_N, b + (size_t)down_b * n,
                               is_there);
    }

    // All copies of the next panel, of which `count` k exist, and zeros for the others.
    __device__ __forceinline__ void start_all(unsigned stage, int n, unsigned k, int count)
    {
        const int thread = threadIdx.x;
#pragma unroll
        for (int i = 0; i < A_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < TILE_K; j += A_K) {
                const bool is_there = thread % A_K + j < count;
                ptx_copy<1, false>(a_to + stage + 4 * (i * A_NEXT + j * S::A_ROW),
                                   (const float *)((const char *)a + (size_t)down[i] * k) +
                                       (is_there ? j : -(thread % A_K)),
                                   is_there);
            }
#pragma unroll(ALIGNED ? B_COUNT : 2) // more at a time would take registers from the sums
        for (int i = 0; i < B_COUNT; ++i) {
            const bool is_there = thread / B_ACROSS + i * B_NEXT < count;
            ptx_copy<WIDTH, false>(b_to + stage + 4 * i * B_NEXT * S::TILE_N,
                                   b + (is_there ? (size_t)(i * B_NEXT) * n : 0), is_there);
        }
        next(n, count);
    }

    // Goes on to the next panel.
    __device__ __forceinline__ void next(int n, int count = TILE_K)
    {
        a += count;
        b += (size_t)count * n;
    }
};

// Copies COUNT values to registers, in runs of 4 that lie `apart` elements apart, and here: between
// copies the compiler would move reads to right before their use.
template <int COUNT>
static __device__ __forceinline__ void pick(float (&values)[COUNT], const float *tile, int apart)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
        ptx_read4(&tile[i / 4 * apart], values[i], values[i + 1], values[i + 2], values[i + 3]);
}

// Adds ROWS x COLS multiply-adds for ROWS + COLS reads. Along one row, back along the next: each
// shares an operand with the one before it, which the hardware keeps at hand, and in the loop that
// the compiler makes of it none has to read three registers of one bank.
template <int ROWS>
static __device__ __forceinline__ void
multiply(float (&sum)[ROWS][COLS], const float (&a_value)[ROWS], const float (&b_value)[COLS])
{
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLS; ++j) {
            const int q = i % 2 ? j : COLS - 1 - j;
            sum[i][q] += a_value[i] * b_value[q];
        }
}

// C = sum + beta C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float beta)
{
    *c = beta == 0.0f ? sum : sum + beta * *c;
}

// Likewise of 4 neighbours in a row of C, of which `count` exist.
template <bool ALIGNED>
static __device__ __forceinline__ void store4(float *__restrict__ c, int count, float4 sum,
                                              float beta)
{
    const float values[4] = {sum.x, sum.y, sum.z, sum.w};
    if (!ALIGNED) { // a row may begin anywhere, and end within the four
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (i < count)
                store(&c[i], values[i], beta);
    } else if (count > 0) {
        float4 value = beta == 0.0f ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(const float4 *)c;
        store(&value.x, sum.x, beta);
        store(&value.y, sum.y, beta);
        store(&value.z, sum.z, beta);
        store(&value.w, sum.w, beta);
        *(float4 *)c = value;
    }
}

// Where in scratch memory the part of a block lies that ends with this panel. A block has two parts
// at most: of the tile that its share ends with, and of the one that it begins with.
template <class S>
static __device__ __forceinline__ float *part_at(void *workspace, const shares &s, int block,
                                                 int end)
{
    const size_t number = 2 * block + (end == s.begin_of(block + 1) ? 0 : 1);
    return (float *)((char *)workspace + s.flag_bytes() + number * S::PART);
}

// A block goes through its share, tile by tile: a whole tile goes to C, and its part of a tile to
// scratch memory, or, if parts are handed on, with those of the blocks before it to C. Each tile
// begins as if it were the only one, with panels on their way.
template <class S, bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS, S::BLOCKS_PER_SM) void gemm(const struct lab_gemm p,
                                                                            const shares s)
{
    extern __shared__ __align__(16) float shared[]; // (stage, (k, rows of C), (k, columns of C))
    ptx_let_next_begin();
    const int over = p.k - (s.panels - 1) * TILE_K; // k of a tile's first panel, 1 to TILE_K
    int end = (int)blockIdx.x < s.blocks ? s.begin_of(blockIdx.x + 1) : 0;
    int still; // panels of this block
    do {       // a tile, or what the block has of it, from the last to the first
        const share_of_tile share = share_at(s, blockIdx.x, end);
        const int panels = share.panels, from_panel = share.from_panel;
        int first_row, first_col;
        place<S>(s, share.tile, &first_row, &first_col);
        copies<S, ALIGNED> copy(p, first_row, first_col,
                                from_panel == 0 ? 0 : over + (from_panel - 1) * TILE_K, shared);
#pragma unroll
        for (int stage = 0; stage < STAGES - 1; ++stage) {
            if (stage < panels)
                copy.start_all(4 * S::STAGE * stage, p.n, p.k,
                               stage == 0 && from_panel == 0 ? over : TILE_K);
            __pipeline_commit(); // a group of copies for each panel; past the last one of nothing
        }
        float sum[S::ROWS][COLS] = {}; // in registers: every index below is known when compiling
        const int a_from = row_of<S>(threadIdx.x), b_from = S::A_FLOATS + col_of<S>(threadIdx.x);
        const float *now = shared;                   // the stage in use
        unsigned next = 4 * S::STAGE * (STAGES - 1); // the stage to be filled
        for (int left = panels; left > 0; --left) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); // the panel has arrived, in every thread, and all have read the one
                             // before
            const unsigned k = ptx_opaque(p.k); // products of it are not kept
            const float *const a_tile = now + a_from, *const b_tile = now + b_from;
            float a_value[2][S::ROWS], b_value[2][COLS]; // of this k, and of the next one
            pick(a_value[0], a_tile, APART_M);
            pick(b_value[0], b_tile, APART_N);
#pragma unroll
            for (int i = 0; i < TILE_K; ++i) {
                if (i % copy.APART == 0)
#pragma unroll
                    for (int j = 0; j < copy.TURN; ++j)
                        copy.start(i / copy.APART * copy.TURN + j, next, p.n, k, left > STAGES - 1);
                if (i + 1 < TILE_K) {
                    pick(a_value[(i + 1) % 2], a_tile + (i + 1) * S::A_ROW, APART_M);
                    pick(b_value[(i + 1) % 2], b_tile + (i + 1) * S::TILE_N, APART_N);
                }
                multiply(sum, a_value[i % 2], b_value[i % 2]);
            }
            __pipeline_commit();
            copy.next(p.n);
            next = next == 4 * S::STAGE * (STAGES - 1) ? 0 : next + 4 * S::STAGE;
            now = now == shared + S::STAGE * (STAGES - 1) ? shared : now + S::STAGE;
        }
        // Registers are scarce in the loop: where these values belong is worked out once more.
        const int block = ptx_opaque(blockIdx.x), thread = threadIdx.x;
        const share_of_tile again = share_at(s, block, end);
        unsigned *const ready = (unsigned *)p.workspace;
        const bool is_last = again.from_panel + again.panels == s.panels; // of the tile
        if (again.panels < s.panels && !(s.handed_on && is_last)) {
            float *const part = part_at<S>(p.workspace, s, block, end) + thread;
#pragma unroll
            for (int r = 0; r < S::ROWS; ++r)
#pragma unroll
                for (int q = 0; q < COLS; ++q)
                    part[(r * COLS + q) * S::THREADS] = sum[r][q];
            if (s.handed_on) {
                __threadfence(); // the part is there before it is said to be
                __syncthreads();
                if (thread == 0) {
                    ptx_wait_for_earlier(); // the flags are clear
                    atomicExch(&ready[block], 1);
                }
            }
        } else {
            // The parts before this one: of blocks that have begun with them, long ago.
            const int first = again.panels < s.panels ? s.block_of(again.tile * s.panels) : block;
            for (int other = block - 1; other >= first; --other) {
                if (thread == 0) {
                    ptx_wait_for_earlier();
                    while (atomicAdd(&ready[other], 0) == 0)
                        ;
                    __threadfence(); // the part is read after this fence
                }
                __syncthreads();
                const float *const part =
                    part_at<S>(p.workspace, s, other, s.begin_of(other + 1)) + thread;
#pragma unroll
                for (int r = 0; r < S::ROWS; ++r)
#pragma unroll
                    for (int q = 0; q < COLS; ++q)
                        sum[r][q] += __ldcg(&part[(r * COLS + q) * S::THREADS]);
            }
            place<S>(s, again.tile, &first_row, &first_col);
            const int row = first_row + row_of<S>(thread), col = first_col + col_of<S>(thread);
#pragma unroll
            for (int r = 0; r < S::ROWS; ++r)
#pragma unroll
                for (int q = 0; q < COLS; q += 4) {
                    // Multiplied first: a sum that is stored as it is would have to lie in 4
                    // registers in a row, which leaves the compiler no choice of their banks.
                    const float4 value =
                        make_float4(p.alpha * sum[r][q], p.alpha * sum[r][q + 1],
                                    p.alpha * sum[r][q + 2], p.alpha * sum[r][q + 3]);
                    const int down = r / 4 * APART_M + r % 4, across = q / 4 * APART_N;
                    if (row + down < p.m)
                        store4<ALIGNED>(&p.c[(size_t)(row + down) * p.n + col + across],
                                        p.n - col - across, value, p.beta);
                }
        }
        end -= again.panels;
        still = block < s.blocks ? end - s.begin_of(block) : 0;
        __syncthreads(); // all have read the last panel: the next tile's first may overwrite it
    } while (still > 0);
}

// Adds the parts of a tile, in the order of k. A block has 4 values of each thread of gemm().
template <class S, bool ALIGNED>
static __global__ __launch_bounds__(S::THREADS) void add_parts(const struct lab_gemm p,
                                                               const shares s)
{
    ptx_wait_for_earlier(); // all parts are there
    const int tile = (int)blockIdx.x / S::QUADS, quad = (int)blockIdx.x % S::QUADS;
    const int thread = threadIdx.x, r = quad / (COLS / 4), q = quad % (COLS / 4);
    const int end = (tile + 1) * s.panels, last = s.block_of(end - 1);
    int block = s.block_of(end - s.panels), first_row, first_col;
    if (block == last)
        return; // which had all of the tile
    place<S>(s, tile, &first_row, &first_col);
    const int row = first_row + row_of<S>(thread) + r / 4 * APART_M + r % 4;
    const int col = first_col + col_of<S>(thread) + q * APART_N;
    float sum[4] = {};
    for (; block <= last; ++block) {
        const float *const part =
            part_at<S>(p.workspace, s, block, min(end, s.begin_of(block + 1))) +
            4 * quad * S::THREADS + thread;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[i] += part[i * S::THREADS];
    }
    if (row < p.m)
        store4<ALIGNED>(
            &p.c[(size_t)row * p.n + col], p.n - col,
            make_float4(p.alpha * sum[0], p.alpha * sum[1], p.alpha * sum[2], p.alpha * sum[3]),
            p.beta);
}

// Clears the flags: no part is there.
static __global__ void clear(unsigned *ready, int count)
{
    ptx_let_next_begin();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        ready[i] = 0;
}

// What a launch is expected to take, in microseconds, as measured on an H200.
constexpr double SUMS = 196e3;       // multiply-adds of a multiprocessor in a microsecond
constexpr double FILL = 1.4;         // wait for the first panel of a tile, in times of a panel
constexpr double HANDING = 1.3;      // a part handed on
constexpr double CLEARING = 3.2;     // clearing the flags, and the first wait
constexpr double ADDING = 2.9;       // the second kernel
constexpr double PART_BYTES = 4.2e6; // bytes of parts that are written and read in a microsecond

// The time of `blocks` blocks on each multiprocessor, at the same time, of so many panels: fewer
// than three hide less of what each of them waits for.
template <class S> static double panels_of(int blocks, double panels)
{
    const double hidden = blocks == 1 ? 0.84 : blocks == 2 ? 0.98 : 1.0;
    return blocks * panels * S::TILE_M * S::TILE_N * TILE_K / (SUMS * S::SPEED * hidden);
}

// The shares that are expected to take least, and their time.
template <class S> static double share_out(const struct lab_gemm *p, shares *best)
{
    const int sms = lab_device_attribute(cudaDevAttrMultiProcessorCount);
    const int places = sms * S::BLOCKS_PER_SM;
    shares s = {(p->m - 1) / S::TILE_M + 1, (p->n - 1) / S::TILE_N + 1, (p->k - 1) / TILE_K + 1};
    const int tiles = s.tiles_down * s.tiles_across, waves = tiles / places, over = tiles % places;
    *best = s;
    double least = panels_of<S>(S::BLOCKS_PER_SM, waves * (s.panels + FILL)) +
                   panels_of<S>((over + sms - 1) / sms, s.panels + FILL);
    s.divided = waves > 0 ? over + places : over;
    // After whole waves the shares fill all places; where there are none, fewer may be better.
    for (int blocks = waves > 0 ? S::BLOCKS_PER_SM : 1; over > 0 && blocks <= S::BLOCKS_PER_SM;
         ++blocks) {
        s.blocks = min(blocks * sms, s.divided * s.panels);
        const double each = (double)s.divided * s.panels / s.blocks; // panels
        const double multiplying =
            panels_of<S>(blocks, each + FILL * (each / s.panels + 1.0)) +
            panels_of<S>(S::BLOCKS_PER_SM, max(waves - 1, 0) * (s.panels + FILL));
        const double handing = CLEARING + HANDING * ceil(s.panels / each);
        const double adding = ADDING + (double)(s.blocks + s.divided) * S::PART / PART_BYTES;
        s.handed_on = handing < adding;
        if (multiplying + min(handing, adding) < least) {
            least = multiplying + min(handing, adding);
            *best = s;
        }
    }
    return least;
}

template <class S> static cudaError_t launch_shape(const struct lab_gemm *p, cudaStream_t stream)
{
    shares s;
    share_out<S>(p, &s);
    const bool is_aligned = p->n % 4 == 0;
    const auto kernel = is_aligned ? gemm<S, true> : gemm<S, false>;
    const auto add = is_aligned ? add_parts<S, true> : add_parts<S, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::BYTES);
    const int blocks = s.blocks + s.tiles_down * s.tiles_across - s.divided;
    if (!s.handed_on) {
        kernel<<<blocks, S::THREADS, S::BYTES, stream>>>(*p, s);
        return s.divided > 0 ? launch_early(add, s.divided * S::QUADS, S::THREADS, 0, stream, *p, s)
                             : cudaGetLastError();
    }
    clear<<<1, 256, 0, stream>>>((unsigned *)p->workspace, s.blocks);
    return launch_early(kernel, blocks, S::THREADS, S::BYTES, stream, *p, s);
}

// Of the tiles that were considered the one that is expected to take least.
struct choice {
    double time;
    size_t bytes; // of scratch memory
    cudaError_t (*launch)(const struct lab_gemm *p, cudaStream_t stream);
};

template <class S> static void consider(const struct lab_gemm *p, choice *best)
{
    shares s;
    const double time = share_out<S>(p, &s);
    if (time < best->time)
        *best = {time, s.blocks > 0 ? s.flag_bytes() + 2 * s.blocks * S::PART : 0, launch_shape<S>};
}

static choice choose(const struct lab_gemm *p)
{
    choice best = {1e300, 0, NULL};
    consider<shape<12, 2, 2>>(p, &best); // 96 x 128
    consider<shape<8, 2, 2>>(p, &best);  // 64 x 128, for few rows
    consider<shape<8, 4, 1>>(p, &best);  // 128 x 64, for few columns
    return best;
}

static size_t workspace(const struct lab_gemm *p)
{
    return choose(p).bytes;
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    return choose(p).launch(p, stream);
}

LAB_EXPORT(gemm, {"shapes", launch, workspace, LAB_REPEATABLE});
