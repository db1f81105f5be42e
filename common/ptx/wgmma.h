/**
 * @file wgmma.h
 * @brief Products by a warpgroup, four warps together, on Hopper (sm_90a): wgmma reads B from
 * shared memory by itself, and A from there or from registers. It runs asynchronously.
 */
#ifndef LAB_PTX_WGMMA_H
#define LAB_PTX_WGMMA_H

#include "ptx/shared.h"

#include <stdint.h>

/** The descriptor of a tile whose rows are k, ROW_BYTES (128 or 64) swizzled bytes, as
 * ptx_tensor_map_make() has them. `tile` is where it begins, plus the bytes to the first k. */
template <int ROW_BYTES>
static __device__ __forceinline__ uint64_t ptx_wgmma_descriptor(unsigned tile)
{
    const uint64_t swizzle = ROW_BYTES == 128 ? 1 : 2; // the names of 128 and of 64 bytes
    const uint64_t eight_rows = 8 * ROW_BYTES;         // from 8 rows to the next 8
    return (tile & 0x3FFFF) >> 4 | eight_rows >> 4 << 32 | swizzle << 62;
}

/** Comes before the first product, and after registers of a product were written. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_wgmma_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/** Ends a group of products, which runs on. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/** Waits until no more than the last GROUPS groups are running. After 0 their registers may be
 * touched. */
template <int GROUPS> static __device__ __forceinline__ void ptx_wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

/** Ends a group of products, and waits for them: then their registers may be touched. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_wgmma_end(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
}

#define LAB_SUM4(i)  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define LAB_SUM16(i) LAB_SUM4(i), LAB_SUM4(i + 4), LAB_SUM4(i + 8), LAB_SUM4(i + 12)

/**
 * @brief sum = a b, or sum += a b if `adds`: 64 x 8 times 8 x 128 elements, in TF32.
 *
 * `a` as for ptx_mma_tf32(), of 16 rows for each warp in turn. `b` describes 128 rows of 8 k, the
 * columns of the product. sum[4 i .. 4 i + 3] are those of ptx_mma_tf32() for columns 8 i on.
 */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_wgmma_tf32(float (&sum)[64], const float (&a)[4], uint64_t b, bool adds)
{
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, adds, 1, 1;\n\t}"
                 : LAB_SUM16(0), LAB_SUM16(16), LAB_SUM16(32), LAB_SUM16(48)
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"((int)adds));
}

/**
 * @brief sum = a b, or sum += a b if `adds`: 64 x 16 times 16 x 192 halves, both from shared
 * memory.
 *
 * `a` describes 64 rows of 16 k, `b` 192, the columns of the product. `sum` as for
 * ptx_wgmma_tf32().
 */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_wgmma_f16(float (&sum)[96], uint64_t a, uint64_t b, bool adds)
{
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %98, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
                 "%96, %97, adds, 1, 1, 0, 0;\n\t}"
                 : LAB_SUM16(0), LAB_SUM16(16), LAB_SUM16(32), LAB_SUM16(48), LAB_SUM16(64),
                   LAB_SUM16(80)
                 : "l"(a), "l"(b), "r"((int)adds));
}

/** The same for 128 columns. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_wgmma_f16(float (&sum)[64], uint64_t a, uint64_t b, bool adds)
{
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, adds, 1, 1, 0, 0;\n\t}"
                 : LAB_SUM16(0), LAB_SUM16(16), LAB_SUM16(32), LAB_SUM16(48)
                 : "l"(a), "l"(b), "r"((int)adds));
}

#undef LAB_SUM4
#undef LAB_SUM16

#endif
