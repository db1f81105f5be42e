/**
 * @file reduce.h
 * @brief A sum over the lanes of a warp, as stage 00c.5 adds it.
 */
#ifndef LAB_TILE_REDUCE_H
#define LAB_TILE_REDUCE_H

/** The sum of a value of each lane, the same in all lanes and in every run. All 32 lanes call it.
 */
__attribute__((unused)) static __device__ __forceinline__ float tile_warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFF, value, offset); // a sum of 2, 4, ... 32 lanes
    return value;
}

#endif
