/* Copies of boxes of tensors by tensor maps. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

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

const int W = 8, H = 4;

static __global__ void load(const __grid_constant__ CUtensorMap map, float *out, int x, int y)
{
    __shared__ __align__(128) float tile[H * W];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(&full)));
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%4], %5;\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
            "l"(&map), "r"(x), "r"(y), "r"(shared_address(&full)), "r"(H * W * 4)
            : "memory");
    await(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    const int N = 20, M = 10;
    float *x, *y;
    int failures = 0;
    void *encode;
    stop_on(cudaMallocManaged(&x, N * M * sizeof *x));
    stop_on(cudaMallocManaged(&y, W * H * sizeof *y));
    for (int i = 0; i < N * M; i++)
        x[i] = i + 1;
    enum cudaDriverEntryPointQueryResult found;
    stop_on(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                             cudaEnableDefault, &found));
    CUtensorMap map;
    const cuuint64_t sizes[] = {N, M}, strides[] = {N * 4};
    const cuuint32_t box[] = {W, H}, steps[] = {1, 1};
    if (((decltype(&cuTensorMapEncodeTiled))encode)(
            &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, sizes, strides, box, steps,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 1;
    load<<<1, W * H>>>(map, y, 15, -1);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++) {
        const int c = 15 + i % W, r = -1 + i / W;
        failures += y[i] != (c >= N || r < 0 ? 0 : r * N + c + 1);
    }
    if (failures)
        fprintf(stderr, "%d wrong values\n", failures);
    return failures != 0;
}
