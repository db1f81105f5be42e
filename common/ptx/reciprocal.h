/**
 * @file reciprocal.h
 * @brief The reciprocal that the hardware computes in one instruction.
 */
#ifndef LAB_PTX_RECIPROCAL_H
#define LAB_PTX_RECIPROCAL_H

/**
 * @brief 1 / x, to 1 unit in the last place.
 *
 * rcp.approx.ftz: numbers below the smallest normal one, 2^-126, count as 0, whose reciprocal is
 * infinity. 1.0f / x is rounded correctly, for eight instructions and a branch, and
 * __fdividef(1.0f, x) spends four on the numbers that this counts as 0.
 */
__attribute__((unused)) static __device__ __forceinline__ float ptx_reciprocal(float x)
{
    float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
    return reciprocal;
}

#endif
