/**
 * @file md.h
 * @brief Family md: time steps of a molecular dynamics program of seven kernels.
 */
#ifndef LAB_MD_PROBLEM_H
#define LAB_MD_PROBLEM_H

#include "step.h"

/** Streams and events that a row may use besides the stream that it is given. */
enum { LAB_MD_STREAMS = 4, LAB_MD_EVENTS = 16 };

/** How two particles at a distance r interact: the potential of the pair, of which each of them
 *  counts a half. */
enum lab_md_law {
    LAB_MD_LENNARD_JONES, /**< 4 (r^-12 - r^-6), in reduced units */
    LAB_MD_SINE,          /**< sin(min(r, pi/2))^2 */
};

/**
 * @brief `steps` time steps, each of these seven parts, in this order:
 *
 *     K1  force and potential of each particle
 *     K2  energies[step][0] = sum of the potentials
 *     K3  energies[step][1] = sum of m v^2 / 2
 *     K4  K2 and K3 sum within blocks, K4 their sums
 *     K5  x += v dt + a dt^2 / 2
 *     K6  v += dt (f / m + a) / 2
 *     K7  a = f / m
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. Vectors are three rows, x, y and z, `row` elements apart, of which the first n count:
 * what is behind them must be neither read nor written. Energies are summed in double precision.
 * Force and potential are those of the last step; they and the energies hold nothing before.
 *
 * In a periodic box a pair is as far apart as the nearest images of its particles are. Positions
 * are not put back into the box. Streams and events come without work, events without times; what a
 * row does in them has to be behind what is on its stream before, and its stream behind that.
 */
struct lab_md {
    int n;               /**< particles, from 1 to LAB_SIZE_MAX */
    int steps;           /**< time steps of a launch, from 1 on */
    enum lab_md_law law; /**< how pairs interact */
    float dt;            /**< length of a time step */
    float mass;          /**< of a particle */
    float box;           /**< edge of the periodic box, a cube; 0: open */
    float cutoff;        /**< pairs at this distance or farther do not interact; 0: all do. In a box
                              above 0, and at most half its edge */
    size_t row;          /**< elements from x to y and from y to z; a multiple of 64 */
    float *position;     /**< (3, row) */
    float *velocity;     /**< (3, row) */
    float *acceleration; /**< (3, row) */
    float *force;        /**< (3, row) */
    float *potential;    /**< (n) */
    double *energies;    /**< (steps, 2): potential and kinetic */
    void *workspace;     /**< as many bytes as the row's workspace function says, else NULL */
    cudaStream_t streams[LAB_MD_STREAMS];
    cudaEvent_t events[LAB_MD_EVENTS];
};

LAB_FAMILY(md, struct lab_md);

#endif
