/* Bulk copies by one thread: tiles come through a ring of stages whose barriers count bytes, warps
 * that specialise use them, and results leave by a bulk copy of their own. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

const int THREADS = 160, WORKERS = THREADS - 32, TILE = 256, STAGES = 3, TILES = 8;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ void await(uint64_t *barrier, int parity)
{
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!done);
}

/* y = 2 x + 1 for TILES tiles of each block. */
static __global__ __launch_bounds__(THREADS) void scale(const float *x, float *y)
{
    __shared__ __align__(16) float in[STAGES][TILE], out[TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    x += blockIdx.x * TILES * TILE;
    y += blockIdx.x * TILES * TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&empty[s])),
                         "r"(WORKERS));
        }
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    if (threadIdx.x >= WORKERS) {
        for (int tile = 0; tile < TILES && threadIdx.x == WORKERS; tile++) {
            const int s = tile % STAGES;
            if (tile >= STAGES)
                await(&empty[s], (tile / STAGES - 1) & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                             shared_address(&full[s])),
                         "r"(TILE * 4)
                         : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(shared_address(in[s])),
                         "l"(x + tile * TILE), "r"(TILE * 4), "r"(shared_address(&full[s]))
                         : "memory");
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        const int s = tile % STAGES;
        await(&full[s], tile / STAGES & 1);
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync 1, %0;" ::"r"(WORKERS) : "memory");
        for (int i = threadIdx.x; i < TILE; i += WORKERS)
            out[i] = 2 * in[s][i] + 1;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[s]))
                     : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync 1, %0;" ::"r"(WORKERS) : "memory");
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                         "cp.async.bulk.commit_group;" ::"l"(y + tile * TILE),
                         "r"(shared_address(out)), "r"(TILE * 4)
                         : "memory");
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    const int BLOCKS = 4, n = BLOCKS * TILES * TILE;
    float *x, *y;
    int failures = 0;
    stop_on(cudaMallocManaged(&x, n * sizeof *x));
    stop_on(cudaMallocManaged(&y, n * sizeof *y));
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    scale<<<BLOCKS, THREADS>>>(x, y);
    stop_on(cudaGetLastError());
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        failures += y[i] != 2 * x[i] + 1;
    if (failures)
        fprintf(stderr, "%d wrong values\n", failures);
    return failures != 0;
}
