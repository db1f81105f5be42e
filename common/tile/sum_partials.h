/**
 * @file sum_partials.h
 * @brief Adds what blocks have left in scratch memory, in one order, as stage 00c.6 does.
 */
#ifndef LAB_TILE_SUM_PARTIALS_H
#define LAB_TILE_SUM_PARTIALS_H

/** v = the sum of `count` rows of partial sums (count, m), row after row. A thread has a column, so
 * that neighbouring threads read neighbours. */
static __global__ void tile_sum_partials(int m, int count, const float *__restrict__ partial,
                                         float *__restrict__ v)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= m)
        return;
    float sum = 0.0f;
    for (int i = 0; i < count; ++i)
        sum += partial[(size_t)i * m + row];
    v[row] = sum;
}

#endif
