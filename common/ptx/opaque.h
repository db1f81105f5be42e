/**
 * @file opaque.h
 * @brief A value that the compiler does not follow.
 */
#ifndef LAB_PTX_OPAQUE_H
#define LAB_PTX_OPAQUE_H

/**
 * @brief Returns the same value, but the compiler knows nothing of it.
 *
 * What is computed from the result is computed here, even if the same was computed before. That
 * saves the registers that would keep the earlier result. No instruction is made of it.
 */
__attribute__((unused)) static __device__ __forceinline__ int ptx_opaque(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

#endif
