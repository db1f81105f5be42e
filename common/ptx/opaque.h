/**
 * @file opaque.h
 * @brief A value that the compiler does not follow.
 */
#ifndef LAB_PTX_OPAQUE_H
#define LAB_PTX_OPAQUE_H

/**
 * @brief The same value, of which the compiler knows nothing.
 *
 * What is worked out from it is worked out here, even if the same was worked out before: that saves
 * the registers that would keep it in between. No instruction is made of it.
 */
__attribute__((unused)) static __device__ __forceinline__ int ptx_opaque(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

#endif
