/**
 * @file pair.h
 * @brief Force and potential of a pair of particles, as stage 13.1 has them.
 */
#ifndef LAB_MD_PAIR_H
#define LAB_MD_PAIR_H

#include "families/md.h"
#include "ptx/reciprocal.h"

/** Of a pair: its potential U, and its force -dU/dr over the distance r. Multiplied by the
 * difference of two positions, that is the force between them. */
struct md_interaction {
    float force_by_r; /**< -dU/dr over r */
    float potential;  /**< U */
};

/** Of a pair whose distance has this square; 0 of one that does not count. A selection takes an
 * instruction, and a branch several. sin and cos of at most pi/2 are as good as they get without a
 * range to reduce. */
template <enum lab_md_law LAW>
static __device__ __forceinline__ md_interaction md_interact(float r2, bool counts)
{
    if (LAW == LAB_MD_SINE) { // U = sin^2 m with m = min(r, pi/2), -dU/dr = -2 sin m cos m
        const float one_by_r = counts ? rsqrtf(r2) : 0.0f;
        float sine, cosine;
        __sincosf(counts ? fminf(r2 * one_by_r, 1.5707964f) : 0.0f, &sine, &cosine);
        return {-2.0f * sine * cosine * one_by_r, sine * sine};
    }
    // U = 4 (r^-12 - r^-6), -dU/dr = 24 (2 r^-12 - r^-6) / r: even powers, which take no root.
    const float one_by_r2 = counts ? ptx_reciprocal(r2) : 0.0f;
    const float r6 = one_by_r2 * one_by_r2 * one_by_r2; // r^-6
    return {(48.0f * r6 - 24.0f) * r6 * one_by_r2, (4.0f * r6 - 4.0f) * r6};
}

/** A coordinate's difference to the nearest image: at most half of the box's edge. Positions need
 * not be in the box for that. */
template <bool PERIODIC>
static __device__ __forceinline__ float md_nearest(float difference, float box, float one_by_box)
{
    return PERIODIC ? difference - box * rintf(difference * one_by_box) : difference;
}

#endif
