/* Tensor maps that a kernel changes: by tensormap.replace in shared memory, from a map of the host
 * or from zeros, with a copy to global memory by tensormap.cp_fenceproxy; and in global memory. The
 * box that then comes is compared with the tensor. Also cvt.pack. It prints a sum for each. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <cuda.h>

const int WIDTH = 32, HEIGHT = 8, BOX_WIDTH = 8, BOX_HEIGHT = 4, WORDS = BOX_WIDTH * BOX_HEIGHT;

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

#define SET(field, type, kind, value)                                                              \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type                        \
                 " [%0], %1;" ::"r"(at),                                                           \
                 kind(value)                                                                       \
                 : "memory")
#define SET_OF(field, order, type, kind, value)                                                    \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " #order       \
                 ", %1;" ::"r"(at),                                                                \
                 kind(value)                                                                       \
                 : "memory")

/* From zeros: all fields. From a map of another tensor: its address, sizes and stride. */
static __device__ void change(uint32_t at, const uint32_t *x, bool is_new)
{
    if (is_new) {
        SET("rank", "b32", "r", 1);
        SET_OF("box_dim", 0, "b32", "r", BOX_WIDTH);
        SET_OF("box_dim", 1, "b32", "r", BOX_HEIGHT);
        SET_OF("element_stride", 0, "b32", "r", 1);
        SET_OF("element_stride", 1, "b32", "r", 1);
        SET("elemtype", "b32", "n", 2);
        SET("interleave_layout", "b32", "n", 0);
        SET("fill_mode", "b32", "n", 0);
    }
    SET("swizzle_mode", "b32", "n", 1);
    SET("global_address", "b64", "l", x);
    SET_OF("global_dim", 0, "b32", "r", WIDTH - 4);
    SET_OF("global_dim", 1, "b32", "r", HEIGHT - 1);
    SET_OF("global_stride", 0, "b64", "l", (uint64_t)WIDTH * 4);
}

static __global__ void load(const __grid_constant__ CUtensorMap old, CUtensorMap *map,
                            const uint32_t *x, int how, uint32_t *y)
{
    __shared__ __align__(128) uint32_t tile[WORDS], space[32];
    __shared__ uint64_t full;
    const uint32_t at = shared_address(space), barrier = shared_address(&full);
    space[threadIdx.x] = how == 1 ? 0 : ((const uint32_t *)&old)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                barrier));
        if (how < 2)
            change(at, x, how == 1);
    }
    __syncwarp();
    if (how < 2) {
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
            "aligned [%0], [%1], 128;" ::"l"(map),
            "r"(at)
            : "memory");
    } else if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;\n"
                     "tensormap.replace.tile.box_dim.b1024.b32 [%0], 1, %2;\n"
                     "fence.proxy.tensormap::generic.release.gpu;" ::"l"(map),
                     "l"(x + WIDTH), "r"(2)
                     : "memory");
    }
    __syncwarp();
    if (threadIdx.x == 0)
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %2;\n"
                     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%3], "
                     "[%0, {%4, %5}], [%1];" ::"l"(map),
                     "r"(barrier), "r"(how < 2 ? WORDS * 4 : BOX_WIDTH * 8),
                     "r"(shared_address(tile)), "r"(24), "r"(5)
                     : "memory");
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    while (!done);
    for (int i = threadIdx.x; i < (how < 2 ? WORDS : 2 * BOX_WIDTH); i += 32)
        y[i] = tile[i];
}

static int test_maps()
{
    uint32_t *x, *y, host[WIDTH * HEIGHT * 2], seen[WORDS];
    CUtensorMap map, *changed;
    decltype(&cuTensorMapEncodeTiled) encode;
    enum cudaDriverEntryPointQueryResult found;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * 4};
    const cuuint32_t box[] = {BOX_WIDTH, BOX_HEIGHT}, step[] = {1, 1};
    int failures = 0;
    stop_on(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                             cudaEnableDefault, &found));
    stop_on(cudaMalloc(&x, sizeof host));
    stop_on(cudaMalloc(&y, sizeof seen));
    stop_on(cudaMalloc(&changed, sizeof map));
    for (int i = 0; i < WIDTH * HEIGHT * 2; i++)
        host[i] = 1000 + i;
    stop_on(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, x, size, stride, box, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    for (int how = 0; how < 3; how++) {
        const int columns = how < 2 ? WIDTH - 4 : WIDTH, rows = how < 2 ? HEIGHT - 1 : HEIGHT;
        uint64_t sum = 0;
        int wrong = 0;
        stop_on(cudaMemcpy(changed, &map, sizeof map, cudaMemcpyHostToDevice));
        load<<<1, 32>>>(map, changed, x + (how < 2 ? WIDTH * HEIGHT : 0), how, y);
        stop_on(cudaMemcpy(seen, y, sizeof seen, cudaMemcpyDeviceToHost));
        for (int i = 0; i < (how < 2 ? WORDS : 2 * BOX_WIDTH); i++) {
            const int row = i / BOX_WIDTH, line = how < 2 ? i * 4 / 128 % 2 : 0;
            const int column = (i ^ line * 4) % BOX_WIDTH;
            const bool is_inside = column + 24 < columns && row + 5 < rows;
            const int place = (how < 2 ? WIDTH * HEIGHT : WIDTH) + (row + 5) * WIDTH + column + 24;
            wrong += seen[i] != (is_inside ? host[place] : 0);
            sum = sum * 31 + seen[i];
        }
        printf("replace %d: %016llx, %d wrong\n", how, (unsigned long long)sum, wrong);
        failures += wrong != 0;
    }
    return failures;
}

#define PACK(i, type) asm("cvt.pack.sat." type ".s32 %0, %1, %2;" : "=r"(y[i]) : "r"(a), "r"(b))
#define PACK_ON(i, type)                                                                           \
    asm("cvt.pack.sat." type ".s32.b32 %0, %1, %2, %3;" : "=r"(y[i]) : "r"(a), "r"(b), "r"(c))

static __global__ void pack(uint32_t *all)
{
    const int values[] = {0,     1,     -1,     2,      -2,    3,     7,       8,      -8,
                          -9,    15,    16,     127,    128,   -128,  -129,    255,    256,
                          32767, 32768, -32768, -32769, 65535, 65536, INT_MAX, INT_MIN};
    const int a = values[threadIdx.x % 26], b = values[threadIdx.x / 26];
    const uint32_t c = 0x9abcdef1u * (threadIdx.x + 1);
    uint32_t *const y = all + 8 * threadIdx.x;
    PACK(0, "u16");
    PACK(1, "s16");
    PACK_ON(2, "u8");
    PACK_ON(3, "s8");
    PACK_ON(4, "u4");
    PACK_ON(5, "s4");
    PACK_ON(6, "u2");
    PACK_ON(7, "s2");
}

int main()
{
    static uint32_t seen[26 * 26 * 8];
    uint32_t *y;
    stop_on(cudaMalloc(&y, sizeof seen));
    pack<<<1, 26 * 26>>>(y);
    stop_on(cudaMemcpy(seen, y, sizeof seen, cudaMemcpyDeviceToHost));
    for (int kind = 0; kind < 8; kind++) {
        uint64_t sum = 0;
        for (int i = kind; i < 26 * 26 * 8; i += 8)
            sum = sum * 31 + seen[i];
        printf("cvt.pack %d: %016llx\n", kind, (unsigned long long)sum);
    }
    return test_maps() != 0;
}
