/**
 * @file lanes.h
 * @brief The lanes of a warp that share the rows of its tile, and their sums, as stage 08.4 has
 * them.
 */
#ifndef LAB_SUMMATION_LANES_H
#define LAB_SUMMATION_LANES_H

/** Adds the sums of each row over the lanes that have it, which differ in bits 1, 3 and 4, and
 * stores them to `to`, the warp's rows from the lane's first on. Rows are runs of 4, 16 apart. */
template <int ROWS>
static __device__ __forceinline__ void summation_add_lanes(float (&sum)[ROWS], float *to,
                                                           bool is_first)
{
    for (int r = 0; r < ROWS; ++r) {
        for (int apart : {2, 8, 16})
            sum[r] += __shfl_xor_sync(0xFFFFFFFF, sum[r], apart);
        if (is_first)
            to[r / 4 * 16 + r % 4] = sum[r];
    }
}

#endif
