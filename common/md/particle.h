/**
 * @file particle.h
 * @brief Threads and particles of step 13: a thread has a particle.
 */
#ifndef LAB_MD_PARTICLE_H
#define LAB_MD_PARTICLE_H

#include "families/md.h"

/** Of a block. */
constexpr int MD_THREADS = 128;

/** Blocks for n particles, the last one perhaps with threads to spare. */
__attribute__((unused)) static __host__ __device__ constexpr int md_blocks(int n)
{
    return (n - 1) / MD_THREADS + 1;
}

/** The particle of this thread; p.n and above: it has none. */
__attribute__((unused)) static __device__ __forceinline__ int md_own_particle()
{
    return (int)(blockIdx.x * MD_THREADS + threadIdx.x);
}

#endif
