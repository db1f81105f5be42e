/* Thread block clusters: shared memory of other blocks, read, written and counted in atomically;
 * both halves of the cluster's barrier; a barrier in another block's shared memory; what threads
 * are told of their cluster; and launches that are refused. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>

namespace cg = cooperative_groups;

const int THREADS = 64, BLOCKS = 16, BINS = 32;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* Each block's sum goes around the cluster: all blocks get the cluster's sum. */
__global__ void sum_of_cluster(const int *x, int *sums)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * THREADS + threadIdx.x]);
    cluster.sync();
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
            all += *cluster.map_shared_rank(&sum, rank);
        sums[blockIdx.x] = all;
    }
    cluster.sync();
}

/* A histogram whose bins are divided over the blocks of a cluster of 4, as the CUDA guide has it.
 */
__global__ void __cluster_dims__(4, 1, 1) histogram(const int *x, int *counts)
{
    __shared__ int bins[BINS / 4];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
        bins[i] = 0;
    cluster.sync();
    const int key = x[blockIdx.x * THREADS + threadIdx.x] % BINS;
    atomicAdd(cluster.map_shared_rank(&bins[key % (BINS / 4)], key / (BINS / 4)), 1);
    cluster.sync();
    for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
        atomicAdd(&counts[rank * (BINS / 4) + i], bins[i]);
}

/* Each block writes into the next one, and does something of its own between arrival and wait. */
__global__ void pass_on(const int *x, int *y)
{
    __shared__ int values[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    cluster.sync(); /* the other block has begun */
    cluster.map_shared_rank(values, next)[threadIdx.x] = x[i];
    auto token = cluster.barrier_arrive();
    const int square = x[i] * x[i];
    cluster.barrier_wait(std::move(token));
    y[i] = values[threadIdx.x] + square;
}

static __device__ void wait_for(unsigned barrier)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
}

/* The threads of all blocks arrive at a barrier of the first one, whose threads wait there. */
__global__ void arrive_at_first(const int *x, int *y)
{
    __shared__ int part[8][THREADS];
    __shared__ unsigned long long barrier;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    const unsigned own = (unsigned)__cvta_generic_to_shared(&barrier);
    unsigned first;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(own), "r"(size * THREADS));
    cluster.sync();
    cluster.map_shared_rank(&part[rank][0], 0)[threadIdx.x] = x[blockIdx.x * THREADS + threadIdx.x];
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(own));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(first)
                 : "memory");
    if (rank == 0) {
        wait_for(own);
        int sum = 0;
        for (unsigned from = 0; from < size; from++)
            sum += part[from][threadIdx.x];
        y[blockIdx.x / size * THREADS + threadIdx.x] = sum;
    }
    cluster.sync();
}

/* Block 0 of each cluster copies a row to all of its blocks at once. Each block then sends its sum
 * to the next block, with its double beside it, and adds it to a total in the last one. */
__global__ void send(const int *x, int *y)
{
    __shared__ alignas(16) int row[THREADS];
    __shared__ alignas(8) int from[2];
    __shared__ int sum, total;
    __shared__ unsigned long long barriers[2];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(barriers);
    const unsigned first = blockIdx.x - rank, last = rank == size - 1;
    if (threadIdx.x == 0) {
        sum = total = 0;
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + 8 * i));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"((unsigned)sizeof row));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier + 8),
                     "r"(8 + 4 * (last ? size : 0)));
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" // the fence has released
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(row)),
                     "l"(x + first * THREADS), "r"((unsigned)sizeof row), "r"(barrier),
                     "h"((unsigned short)((1 << size) - 1))
                     : "memory");
    wait_for(barrier);
    atomicAdd(&sum, row[threadIdx.x] * (int)(rank + 1));
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned to = (unsigned)__cvta_generic_to_shared(from);
        const unsigned all = (unsigned)__cvta_generic_to_shared(&total);
        asm volatile("{\n.reg .u32 a, b;\nmapa.shared::cluster.u32 a, %0, %1;\n"
                     "mapa.shared::cluster.u32 b, %2, %1;\n"
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [a], {%3, %4}, "
                     "[b];\n}" ::"r"(to),
                     "r"((rank + 1) % size), "r"(barrier + 8), "r"(sum), "r"(2 * sum)
                     : "memory");
        asm volatile(
            "{\n.reg .u32 a, b;\nmapa.shared::cluster.u32 a, %0, %1;\n"
            "mapa.shared::cluster.u32 b, %2, %1;\n"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 "
            "[a], %3, [b];\n}" ::"r"(all),
            "r"(size - 1), "r"(barrier + 8), "r"(sum)
            : "memory");
    }
    wait_for(barrier + 8);
    if (threadIdx.x == 0) {
        y[4 * blockIdx.x] = from[0];
        y[4 * blockIdx.x + 1] = from[1];
        y[4 * blockIdx.x + 2] = last ? total : 0;
    }
    cluster.sync();
}

/* 1 + what the special registers say, folded into one number. */
__global__ void where_am_i(unsigned *said)
{
    cg::cluster_group cluster = cg::this_cluster();
    const dim3 in = cluster.block_index(), dim = cluster.dim_blocks();
    unsigned id[3], is_explicit;
    asm("mov.u32 %0, %%clusterid.x;\nmov.u32 %1, %%clusterid.y;\nmov.u32 %2, %%nclusterid.y;"
        : "=r"(id[0]), "=r"(id[1]), "=r"(id[2]));
    asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(is_explicit));
    __shared__ int any;
    unsigned rank_of_next;
    const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    asm("{\n.reg .u64 a;\nmapa.u64 a, %1, %2;\ngetctarank.u64 %0, a;\n}"
        : "=r"(rank_of_next)
        : "l"(&any), "r"(next));
    const void *const there = cluster.map_shared_rank(&any, next);
    const bool right = in.x == blockIdx.x % dim.x && in.y == blockIdx.y % dim.y &&
                       rank == in.x + in.y * dim.x && id[0] == blockIdx.x / dim.x &&
                       id[1] == blockIdx.y / dim.y && id[2] == gridDim.y / dim.y && is_explicit &&
                       rank_of_next == next && __isClusterShared(there) && !__isShared(there);
    if (threadIdx.x == 0)
        said[blockIdx.y * gridDim.x + blockIdx.x] = right ? 1 : 2;
}

static cudaLaunchConfig_t config(dim3 grid, cudaLaunchAttribute *attribute, dim3 cluster)
{
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = cluster.x;
    attribute->val.clusterDim.y = cluster.y;
    attribute->val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t how = {};
    how.gridDim = grid;
    how.blockDim = THREADS;
    how.attrs = attribute;
    how.numAttrs = 1;
    return how;
}

static int failures;

static void expect(bool right, const char *what)
{
    if (!right)
        fprintf(stderr, "%s\n", what);
    failures += !right;
}

static void try_cluster(int size, const int *x, int *y)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t how = config(BLOCKS, &attribute, size);
    if (size > 8) {
        stop_on(cudaFuncSetAttribute(sum_of_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                     1));
    }
    stop_on(cudaLaunchKernelEx(&how, sum_of_cluster, x, y));
    stop_on(cudaDeviceSynchronize());
    for (int block = 0; block < BLOCKS; block++) {
        int sum = 0;
        for (int i = 0; i < size * THREADS; i++)
            sum += x[block / size * size * THREADS + i];
        expect(y[block] == sum, "a cluster's sum is wrong");
    }
    if (size > 8)
        return;
    stop_on(cudaLaunchKernelEx(&how, pass_on, x, y));
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        const int block = i / THREADS, first = block / size * size;
        const int from = first + (block - first + size - 1) % size;
        expect(y[i] == x[from * THREADS + i % THREADS] + x[i] * x[i], "a value is not passed on");
    }
    stop_on(cudaLaunchKernelEx(&how, arrive_at_first, x, y));
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS / size * THREADS; i++) {
        int sum = 0;
        for (int block = 0; block < size; block++)
            sum += x[(i / THREADS * size + block) * THREADS + i % THREADS];
        expect(y[i] == sum, "a sum in the first block is wrong");
    }
    stop_on(cudaLaunchKernelEx(&how, send, x, y));
    stop_on(cudaDeviceSynchronize());
    for (int block = 0; block < BLOCKS; block++) {
        const int rank = block % size, before = (rank + size - 1) % size;
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += x[block / size * size * THREADS + i];
        expect(y[4 * block] == sum * (before + 1) && y[4 * block + 1] == 2 * y[4 * block],
               "what a block was sent is wrong");
        expect(y[4 * block + 2] == (rank == size - 1 ? sum * size * (size + 1) / 2 : 0),
               "a total in the last block is wrong");
    }
}

static void try_refusals(int *x, int *y)
{
    cudaLaunchAttribute attribute;
    int value = 0;
    cudaLaunchConfig_t how = config(BLOCKS, &attribute, 3);
    expect(cudaLaunchKernelEx(&how, pass_on, (const int *)x, y) == cudaErrorInvalidClusterSize,
           "a grid of no whole clusters is taken");
    how = config(32, &attribute, 16);
    expect(cudaLaunchKernelEx(&how, pass_on, (const int *)x, y) == cudaErrorInvalidClusterSize,
           "16 blocks in a cluster are taken without the attribute");
    how = config(BLOCKS, &attribute, 2);
    expect(cudaLaunchKernelEx(&how, histogram, (const int *)x, y) == cudaErrorInvalidClusterSize,
           "clusters of other than __cluster_dims__ are taken");
    cudaGetLastError();
    how = config(BLOCKS, &attribute, 8);
    expect(cudaOccupancyMaxPotentialClusterSize(&value, pass_on, &how) == cudaSuccess && value == 8,
           "cudaOccupancyMaxPotentialClusterSize");
    expect(cudaOccupancyMaxActiveClusters(&value, pass_on, &how) == cudaSuccess && value > 0,
           "cudaOccupancyMaxActiveClusters");
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0) == cudaSuccess && value == 1,
           "cudaDevAttrClusterLaunch");
    cudaFuncAttributes attributes;
    expect(cudaFuncGetAttributes(&attributes, histogram) == cudaSuccess &&
               attributes.requiredClusterWidth == 4,
           "requiredClusterWidth");
}

int main()
{
    int *x, *y, counts[BINS] = {0};
    stop_on(cudaMallocManaged(&x, BLOCKS * THREADS * sizeof *x));
    stop_on(cudaMallocManaged(&y, BLOCKS * THREADS * sizeof *y));
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        x[i] = i * i % 101;
        counts[x[i] % BINS]++;
    }
    for (int size = 1; size <= 16; size *= 2)
        try_cluster(size, x, y);
    stop_on(cudaMemset(y, 0, BINS * sizeof *y));
    histogram<<<BLOCKS, THREADS>>>(x, y);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < BINS; i++)
        expect(y[i] == counts[i], "a count is wrong");
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t how = config(dim3(4, 4), &attribute, dim3(2, 2));
    stop_on(cudaLaunchKernelEx(&how, where_am_i, (unsigned *)y));
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        expect(y[i] == 1, "a thread is told wrongly where it is in its cluster");
    try_refusals(x, y);
    return failures != 0;
}
