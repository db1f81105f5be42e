/**
 * @file block_sum.h
 * @brief The sum over a block, as stage 13.1 has it.
 */
#ifndef LAB_MD_BLOCK_SUM_H
#define LAB_MD_BLOCK_SUM_H

#include "md/particle.h"

/** The sum over a block, always in the same order: in each warp by halves, then warp by warp. In
 * double precision: in float, one particle would be lost among the energies of many. */
__attribute__((unused)) static __device__ double md_sum_of_block(double own)
{
    __shared__ double sums[MD_THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) // lane l gets the sum of lane l + offset
        own += __shfl_down_sync(0xFFFFFFFF, own, offset);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = own;
    __syncthreads();  // the sums of all warps are there
    double sum = 0.0; // few enough for each thread to add all of them
    for (int warp = 0; warp < MD_THREADS / 32; ++warp)
        sum += sums[warp];
    __syncthreads(); // all have read them: the next call may overwrite them
    return sum;
}

#endif
