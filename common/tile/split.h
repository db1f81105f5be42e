/**
 * @file split.h
 * @brief Numbers as two halves, large + small, 22 bits together, as stages 15.5, 15.6 and 08.6
 * split them.
 *
 * A power of two scales numbers so that the largest one lies between 2^14 and 2^15. One keeps its
 * 22 bits down to 2^-16 of the largest; a smaller one has an error of up to 2^-39 of that.
 */
#ifndef LAB_TILE_SPLIT_H
#define LAB_TILE_SPLIT_H

#include <cuda_fp16.h>

/** The exponent of the power of two that scales numbers; `largest`: the bits of the largest one. */
static __device__ __forceinline__ int tile_exponent(unsigned largest)
{
    return min(14 + 127 - (int)(largest >> 23), 127); // 2^127 is the largest one that a float holds
}

/** The bits of a magnitude, which are in the order of the numbers; 0 for infinities and NaN. */
static __device__ __forceinline__ unsigned tile_magnitude(float x)
{
    const unsigned bits = __float_as_uint(x) & 0x7FFFFFFFu;
    return bits < 0x7F800000u ? bits : 0;
}

/** Splits two numbers, times `scale`, and stores their parts. */
static __device__ __forceinline__ void tile_split_pair(half2 *to_large, half2 *to_small, float x,
                                                       float y, float scale)
{
    const float2 scaled = make_float2(x * scale, y * scale);
    const half2 large = __float22half2_rn(scaled);
    const float2 rounded = __half22float2(large);
    *to_large = large;
    *to_small = __float22half2_rn(make_float2(scaled.x - rounded.x, scaled.y - rounded.y));
}

#endif
