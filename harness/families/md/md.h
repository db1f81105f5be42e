/**
 * @file md.h
 * @brief Family md inside: where particles begin, and what becomes of them.
 */
#ifndef LAB_MD_FAMILY_H
#define LAB_MD_FAMILY_H

#include "families/md/options.h"
#include "families/problem.h"

/** Places in the list of arrays. */
enum {
    MD_POSITION,
    MD_VELOCITY,
    MD_ACCELERATION,
    MD_FORCE,
    MD_POTENTIAL,
    MD_ENERGIES,
    MD_SUMS,     /* of blocks: how many there are is up to a row, what they add up to is not */
    MD_EXPECTED, /* arrays that may be outputs are before */
    MD_OLD_VELOCITY = MD_EXPECTED,
    MD_OLD_ACCELERATION,
    MD_OLD_FORCE,
    MD_SCRATCH,
    MD_ARRAYS
};

/** An array of a problem as it should be, and by how much a row's may differ from it. */
struct md_expected {
    double *value; /**< (rows, columns) of the array, without its gaps */
    double *bound; /**< (columns), for all rows; of energies (rows, columns) */
};

/** What the family keeps of a problem. */
struct md {
    const struct lab_md *problem; /**< its sizes and numbers; pointers come later */
    uint64_t seed;
    int side;        /**< sites of the lattice along an edge */
    double apart;    /**< from one to the next */
    double drift[3]; /**< mean of the velocities that were drawn: taken away from each */
    struct md_expected expected[MD_EXPECTED];
    bool is_loose; /**< bounds have grown so much that a wrong step may be within them */
};

/** The lattice and the drift, of a problem that has sizes and numbers. */
void md_begin_data(struct md *md);

/** Rows and columns of an array that count. */
size_t md_rows(const struct md *md, int which);
size_t md_columns(const struct md *md, int which);

/** `fill` of struct lab_family. */
void md_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count);

/** Component `axis` of particle i in one of the first three arrays, before a launch. */
float md_start(const struct md *md, int which, int axis, int i);

/** The i-th of all sums that K4 is given alone. */
double md_given_sum(const struct md *md, size_t i);

/** Values of a particle that these parts read and write when they are merged, each value read and
 *  written once: 18 of K5 and K6, which apart have 24. Those of K1, which needs all particles'
 *  positions before any changes, count by themselves. */
int md_values(unsigned kernels);

/** Computes what is expected; an exit status. */
int md_make_reference(struct lab_problem *p);

/** Frees what is expected. */
void md_free_reference(struct md *md);

/** `check_output` of struct lab_family. */
cudaError_t md_check_output(struct lab_problem *p, struct lab_check *check);

#endif
