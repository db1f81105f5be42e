/**
 * @file energies.h
 * @brief K2, K3 and K4, the energies, as stage 13.1 has them.
 */
#ifndef LAB_MD_ENERGIES_H
#define LAB_MD_ENERGIES_H

#include "md/block_sum.h"

/** K2: a sum of each block. Threads beyond the last particle add 0, and take part: the barriers
 * wait for all. */
static __global__ __launch_bounds__(MD_THREADS) void md_potential_energy(const struct lab_md p,
                                                                         double *sums)
{
    const int i = md_own_particle();
    const double sum = md_sum_of_block(i < p.n ? (double)p.potential[i] : 0.0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/** K3: likewise, of m v^2 / 2. It needs nothing of K1 and K2. */
static __global__ __launch_bounds__(MD_THREADS) void md_kinetic_energy(const struct lab_md p,
                                                                       double *sums)
{
    const int i = md_own_particle();
    double own = 0.0;
    if (i < p.n) {
        const double x = p.velocity[i], y = p.velocity[p.row + i], z = p.velocity[2 * p.row + i];
        own = 0.5 * p.mass * (x * x + y * y + z * z);
    }
    const double sum = md_sum_of_block(own);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/** K4: one block adds both kinds of sums, `count` of each. A kernel of its own, since it begins
 * when all blocks of K2 and K3 have ended. */
static __global__ __launch_bounds__(MD_THREADS) void md_add_sums(int count, const double *sums,
                                                                 double *energies)
{
    double potential = 0.0, kinetic = 0.0;
    for (int k = (int)threadIdx.x; k < count; k += MD_THREADS) { // each takes every MD_THREADS-th
        potential += sums[k];
        kinetic += sums[count + k];
    }
    potential = md_sum_of_block(potential);
    kinetic = md_sum_of_block(kinetic);
    if (threadIdx.x == 0) {
        energies[0] = potential;
        energies[1] = kinetic;
    }
}

#endif
