// Exercise 21: C = alpha A' B + beta C, whose panels come by bulk copies, a row each: one thread
// starts them, and all wait at a barrier in shared memory until their bytes have come. It has to be
// told how many these are. Too few, and threads read what is not there yet; too many, and they wait
// for ever.
#include "families/gemm.h"
#include "ptx/bulk.h"
#include "ptx/mbarrier.h"
#include "tile/epilogue.h"

constexpr int VALUES = 4;            // rows and columns of C per thread
constexpr int SIDE = 16;             // a block has SIDE x SIDE threads
constexpr int THREADS = SIDE * SIDE; // 256
constexpr int TILE = SIDE * VALUES;  // rows and columns of C per block: 64
constexpr int TILE_K = 16;           // k of a panel
constexpr int STAGES = 2;            // panels in shared memory: one is used, one is on its way

struct stage {
    float a[TILE_K][TILE], b[TILE_K][TILE]; // (k, rows of C), (k, columns of C)
};

// What a block has of the matrices; less than a tile, and than a panel, at the edges.
struct extent {
    int rows, cols;   // of C
    int row, col;     // the first ones
    bool has_vectors; // rows of A and B begin at multiples of 16 bytes
};

static __device__ __forceinline__ int k_of_panel(const struct lab_gemm &p, int panel)
{
    return min(TILE_K, p.k - panel * TILE_K);
}

// The bytes that all copies of a panel bring: of A and B, and at the edges, too.
static __device__ __forceinline__ int bytes_of_panel(const struct lab_gemm &p, const extent &c,
                                                     int panel)
{
    // BEGIN SOLUTION: see what fetch() copies
    return k_of_panel(p, panel) * (c.rows + c.cols) * (int)sizeof(float);
    //| return 0;
    // END SOLUTION
}

// Brings a panel to a stage; `full` ends a phase when it is there.
static __device__ __forceinline__ void fetch(const struct lab_gemm &p, const extent &c, int panel,
                                             stage *to, uint64_t *full)
{
    const int first_k = panel * TILE_K, count = k_of_panel(p, panel);
    if (c.has_vectors && threadIdx.x == 0) {
        ptx_mbarrier_arrive_expecting(full, bytes_of_panel(p, c, panel));
        for (int k = 0; k < count; ++k) {
            ptx_bulk_copy(ptx_shared_address(to->a[k]), p.a + (size_t)(first_k + k) * p.m + c.row,
                          c.rows * (int)sizeof(float), full);
            ptx_bulk_copy(ptx_shared_address(to->b[k]), p.b + (size_t)(first_k + k) * p.n + c.col,
                          c.cols * (int)sizeof(float), full);
        }
    } else if (!c.has_vectors) { // bulk copies are of whole vectors: all threads load the panel
        for (int i = threadIdx.x; i < count * TILE; i += THREADS) {
            const int k = i / TILE, at = i % TILE;
            if (at < c.rows)
                to->a[k][at] = p.a[(size_t)(first_k + k) * p.m + c.row + at];
            if (at < c.cols)
                to->b[k][at] = p.b[(size_t)(first_k + k) * p.n + c.col + at];
        }
        ptx_mbarrier_arrive(full);
    }
}

static __global__ __launch_bounds__(THREADS) void gemm(const struct lab_gemm p)
{
    __shared__ __align__(128) stage stages[STAGES];
    __shared__ uint64_t full[STAGES];
    const int across = (p.n - 1) / TILE + 1, panels = (p.k - 1) / TILE_K + 1;
    const int row = (int)blockIdx.x / across * TILE, col = (int)blockIdx.x % across * TILE;
    const extent c = {min(TILE, p.m - row), min(TILE, p.n - col), row, col,
                      p.m % 4 == 0 && p.n % 4 == 0};
    const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    for (int i = threadIdx.x; i < STAGES * TILE_K * TILE; i += THREADS) { // past the edges: zeros
        stage &of = stages[i / (TILE_K * TILE)];
        if (i % TILE >= c.rows)
            of.a[i / TILE % TILE_K][i % TILE] = 0.0f;
        if (i % TILE >= c.cols)
            of.b[i / TILE % TILE_K][i % TILE] = 0.0f;
    }
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i)
            ptx_mbarrier_make(&full[i], c.has_vectors ? 1 : THREADS);
        ptx_mbarriers_made();
    }
    __syncthreads(); // all see the barriers and the zeros
    for (int panel = 0; panel < min(STAGES, panels); ++panel)
        fetch(p, c, panel, &stages[panel], &full[panel]);
    float sum[VALUES][VALUES] = {};
    for (int panel = 0; panel < panels; ++panel) {
        const stage &now = stages[panel % STAGES];
        ptx_mbarrier_wait(&full[panel % STAGES], panel / STAGES % 2);
        for (int k = 0; k < k_of_panel(p, panel); ++k)
#pragma unroll
            for (int r = 0; r < VALUES; ++r)
#pragma unroll
                for (int q = 0; q < VALUES; ++q)
                    sum[r][q] += now.a[k][y + r * SIDE] * now.b[k][x + q * SIDE];
        __syncthreads(); // all have read the panel: only now may the next but one overwrite it
        if (panel + STAGES < panels)
            fetch(p, c, panel + STAGES, &stages[panel % STAGES], &full[panel % STAGES]);
    }
#pragma unroll
    for (int r = 0; r < VALUES; ++r)
#pragma unroll
        for (int q = 0; q < VALUES; ++q)
            if (y + r * SIDE < c.rows && x + q * SIDE < c.cols)
                tile_store(&p.c[(size_t)(row + y + r * SIDE) * p.n + col + x + q * SIDE], sum[r][q],
                           p.alpha, p.beta);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / TILE + 1) * ((p->n - 1) / TILE + 1);
    gemm<<<blocks, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm_tn, {"bulk_copies", launch, NULL, LAB_REPEATABLE});
