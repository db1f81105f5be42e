/**
 * @file tensor_map.h
 * @brief Copies of tiles by the Tensor Memory Accelerator (TMA), from sm_90 on: one thread names a
 * tile of a matrix by its coordinates, and a tensor map says how the matrix lies in memory.
 */
#ifndef LAB_PTX_TENSOR_MAP_H
#define LAB_PTX_TENSOR_MAP_H

#include "ptx/shared.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>

/**
 * @brief Describes a row-major matrix of which tiles of tile_rows x tile_columns are copied.
 *
 * The elements are floats, or halves. Rows of a tile have 128 or 64 bytes, whose chunks of 16 are
 * swizzled: chunk c of row r lies at c ^ (r % 8), or c ^ (r / 2 % 4). What is outside of the matrix
 * arrives as 0. The matrix begins at a multiple of 16 bytes, and so do its rows, `row` elements
 * apart. Returns a CUDA error.
 */
template <class T>
static cudaError_t ptx_tensor_map_make(CUtensorMap *map, const T *matrix, int rows, int columns,
                                       int row, int tile_rows, int tile_columns)
{
    static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    cudaError_t status = cudaSuccess;
    if (!encode)
        status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                                  cudaEnableDefault, &found);
    if (status == cudaSuccess && found != cudaDriverEntryPointSuccess)
        status = cudaErrorNotSupported;
    if (status != cudaSuccess)
        return status;
    const cuuint64_t sizes[] = {(cuuint64_t)columns, (cuuint64_t)rows};
    const cuuint64_t row_bytes = (cuuint64_t)row * sizeof(T);
    const cuuint32_t box[] = {(cuuint32_t)tile_columns, (cuuint32_t)tile_rows}, steps[] = {1, 1};
    return encode(map,
                  sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                  2, (void *)matrix, sizes, &row_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  tile_columns * sizeof(T) == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                  : CU_TENSOR_MAP_SWIZZLE_64B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/** Starts the copy of the tile at (row, column) to `to`, a multiple of 1024 (rows of 128 bytes) or
 * 512. Its bytes count at `barrier`. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_tensor_copy(unsigned to, const CUtensorMap *map, int row, int column, uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(map), "r"(column), "r"(row), "r"(ptx_shared_address(barrier))
        : "memory");
}

#endif
