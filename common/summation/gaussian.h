/**
 * @file gaussian.h
 * @brief The Gaussian of a kernel summation, from norms and a product, as stage 08.1 has it.
 */
#ifndef LAB_SUMMATION_GAUSSIAN_H
#define LAB_SUMMATION_GAUSSIAN_H

/** exp(factor * |a - b|^2), of |a|^2, |b|^2 and a b. Rounding makes the square of a small distance
 * negative at times, and a small h would make that error large: a distance below 0 counts as 0. */
__attribute__((unused)) static __device__ __forceinline__ float
summation_gaussian(float a_norm, float b_norm, float product, float factor)
{
    return expf(factor * fmaxf(a_norm + b_norm - 2.0f * product, 0.0f));
}

#endif
