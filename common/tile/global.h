/**
 * @file global.h
 * @brief Predicated loads from global memory: outside a matrix there are zeros, which add nothing
 * to a sum. Step 02 loads one element so, stage 07.2 four.
 */
#ifndef LAB_TILE_GLOBAL_H
#define LAB_TILE_GLOBAL_H

/** Element (row, col) of a row-major matrix, 0 outside it. Its rows are `ld` elements apart. */
template <class T>
static __device__ __forceinline__ T tile_at(const T *__restrict__ x, int rows, int cols,
                                            long long ld, int row, int col)
{
    return row < rows && col < cols ? x[row * ld + col] : (T)0;
}

/** The four elements at `from`, of which `count` exist, zeros for the others. ALIGNED says that
 * rows begin on 16 bytes and are a multiple of 4 long: all four exist or none, and they are one
 * load. */
template <bool ALIGNED>
static __device__ __forceinline__ float4 tile_load4(const float *__restrict__ from, int count)
{
    if (ALIGNED)
        return count > 0 ? *(const float4 *)from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f,
                       count > 2 ? from[2] : 0.0f, count > 3 ? from[3] : 0.0f);
}

#endif
