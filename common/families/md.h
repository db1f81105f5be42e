/**
 * @file md.h
 * @brief Families md and md_rest: time steps of a molecular dynamics program of seven kernels.
 */
#ifndef LAB_MD_PROBLEM_H
#define LAB_MD_PROBLEM_H

#include "step.h"

/** Streams and events that a variant may use besides the stream that it is given. */
enum { LAB_MD_STREAMS = 4, LAB_MD_EVENTS = 13 };

/** How two particles at a distance r interact: the potential of the pair. Each particle gets half
 * of it. */
enum lab_md_law {
    LAB_MD_LENNARD_JONES, /**< 4 (r^-12 - r^-6), in reduced units */
    LAB_MD_SINE,          /**< sin(min(r, pi/2))^2 */
};

/** Parts of a time step, as a set. As flags of a variant: the only parts that the variant does. A
 * variant without flags does all of a step, and leaves out K1 if the problem has no K1. */
enum lab_md_kernels {
    LAB_MD_K1 = LAB_OWN_FLAG,
    LAB_MD_K2 = LAB_OWN_FLAG << 1,
    LAB_MD_K3 = LAB_OWN_FLAG << 2,
    LAB_MD_K4 = LAB_OWN_FLAG << 3,
    LAB_MD_K5 = LAB_OWN_FLAG << 4,
    LAB_MD_K6 = LAB_OWN_FLAG << 5,
    LAB_MD_K7 = LAB_OWN_FLAG << 6,
    LAB_MD_CUTOFF = LAB_OWN_FLAG << 7, /**< not a part: the variant needs a box and a cut-off */
    LAB_MD_REST = LAB_MD_K2 | LAB_MD_K3 | LAB_MD_K4 | LAB_MD_K5 | LAB_MD_K6 | LAB_MD_K7,
    LAB_MD_ALL = LAB_MD_K1 | LAB_MD_REST
};

/**
 * @brief `steps` time steps, each of these seven parts, in this order:
 *
 *     K1  force and potential of each particle
 *     K2  energies[step][0] = sum of the potentials
 *     K3  energies[step][1] = sum of m v^2 / 2
 *     K4  K2 and K3 sum within blocks; K4 adds the sums of the blocks
 *     K5  x += v dt + a dt^2 / 2
 *     K6  v += dt (f / m + a) / 2
 *     K7  a = f / m
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element. Vectors are three rows, x, y and z, `row` elements apart. Only the first n elements of a
 * row count: what is behind them must be neither read nor written. Energies are summed in double
 * precision. Force and potential are the last step's; before, they and the energies hold nothing.
 *
 * In a periodic box the distance of a pair is the least between images of its particles. Positions
 * are not wrapped into the box. Streams and events come without work, events without times. Work in
 * these streams has to wait for the work of the given stream, and the given stream for theirs.
 *
 * A problem may have only some parts of a step. Without K1, as in md_rest, force and potential are
 * given. If the parts are neither all nor all but K1, each part reads arrays that are given and
 * writes arrays of its own, so no part waits for another: K5 and K6 read old_velocity and
 * old_acceleration. K2 and K3 leave as many sums as they like in rows 0 and 1 of `sums`, which
 * holds zeros before, and K4 adds the sums of each given row. K7 together with K1 reads old_force,
 * since K1 is the next step's. An array that the parts neither read nor write is NULL.
 */
struct lab_md {
    int n;               /**< particles, from 1 to LAB_SIZE_MAX */
    int steps;           /**< time steps of a launch, from 1 on */
    unsigned kernels;    /**< set of lab_md_kernels: LAB_MD_ALL, LAB_MD_REST, or some parts */
    enum lab_md_law law; /**< how pairs interact */
    float dt;            /**< length of a time step */
    float mass;          /**< of a particle */
    float box;           /**< edge of the periodic box, a cube; 0: open */
    float cutoff;        /**< pairs at this distance or farther do not interact; 0: all pairs do. In
                              a box it is above 0 and at most half the edge */
    size_t row;          /**< elements from x to y and from y to z; a multiple of 64 */
    float *position;     /**< (3, row) */
    float *velocity;     /**< (3, row) */
    float *acceleration; /**< (3, row) */
    float *force;        /**< (3, row) */
    float *potential;    /**< (n) */
    double *energies;    /**< (steps, 2): potential and kinetic */
    const float *old_velocity;     /**< (3, row), for some parts alone, else NULL */
    const float *old_acceleration; /**< likewise */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL */
    cudaStream_t streams[LAB_MD_STREAMS];
    cudaEvent_t events[LAB_MD_EVENTS];
    const float *old_force; /**< (3, row), for K7 together with K1, else NULL */
    double *sums;           /**< (2, sum_count), for K2, K3 or K4 without the rest, else NULL */
    int sum_count;          /**< a sum of each kind for each 32 particles */
};

LAB_FAMILY(md, struct lab_md);
LAB_FAMILY(md_rest, struct lab_md);

#endif
