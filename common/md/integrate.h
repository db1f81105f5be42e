/**
 * @file integrate.h
 * @brief K5, K6 and K7, position, velocity and acceleration, as stage 13.1 has them.
 */
#ifndef LAB_MD_INTEGRATE_H
#define LAB_MD_INTEGRATE_H

#include "md/particle.h"

/** K5: x += v dt + a dt^2 / 2. Reads 9 values and writes 3, with a handful of operations for each:
 * all it does is wait for memory. K6 and K7 are no better. */
static __global__ __launch_bounds__(MD_THREADS) void md_positions(const struct lab_md p)
{
    const int i = md_own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) // x, y, z
        p.position[at] += p.velocity[at] * p.dt + p.acceleration[at] * (0.5f * p.dt * p.dt);
}

/** K6: v += dt (f / m + a) / 2. Reads 9 values and writes 3. */
static __global__ __launch_bounds__(MD_THREADS) void md_velocities(const struct lab_md p)
{
    const int i = md_own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row)
        p.velocity[at] += 0.5f * p.dt * (p.force[at] / p.mass + p.acceleration[at]);
}

/** K7: a = f / m. Reads 3 values and writes 3. It comes last, since K5 and K6 need the old
 * acceleration. */
static __global__ __launch_bounds__(MD_THREADS) void md_accelerations(const struct lab_md p)
{
    const int i = md_own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row)
        p.acceleration[at] = p.force[at] / p.mass;
}

#endif
