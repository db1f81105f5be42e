/**
 * @file md.h
 * @brief Inside of family md: where particles begin, and what becomes of them.
 */
#ifndef LAB_FAMILIES_MD_MD_H
#define LAB_FAMILIES_MD_MD_H

#include "diagnose/hypothesis.h"
#include "families/md.h"
#include "families/problem.h"
#include "options/family.h"

#include <stdbool.h>

/* What the command line may say of molecular dynamics, besides the number of particles. */

/** Options of family md. */
struct md_options {
    enum lab_md_law law;
    bool periodic;
    int steps;
    bool is_special; /**< an infinity and a NaN are among the given forces */
    float dt, mass;
    float cutoff;     /**< 0: not given */
    unsigned kernels; /**< set of lab_md_kernels */
};

/** Whether these are only some parts of a step: each part then reads arrays that are given. */
static inline bool md_is_apart(unsigned kernels)
{
    return (kernels & LAB_MD_REST) != LAB_MD_REST;
}

/** Whether K1 is the next step's: K7 then reads a force that K1 does not write. */
static inline bool md_reads_old_force(unsigned kernels)
{
    return kernels == (LAB_MD_K1 | LAB_MD_K7);
}

/** The kernels that work on energies. */
enum { MD_ENERGY_KERNELS = LAB_MD_K2 | LAB_MD_K3 | LAB_MD_K4 };

extern const struct lab_family_options lab_md_options, lab_md_rest_options;

/** Places in the list of arrays. */
enum {
    MD_POSITION,
    MD_VELOCITY,
    MD_ACCELERATION,
    MD_FORCE,
    MD_POTENTIAL,
    MD_ENERGIES,
    MD_SUMS,     /* of blocks: a variant chooses how many, but not what they add up to */
    MD_EXPECTED, /* arrays before this one may be outputs */
    MD_OLD_VELOCITY = MD_EXPECTED,
    MD_OLD_ACCELERATION,
    MD_OLD_FORCE,
    MD_SCRATCH,
    MD_ARRAYS
};

/** The expected values of an array, and by how much a variant's values may differ from them. */
struct md_expected {
    double *value; /**< (rows, columns) of the array, without its gaps */
    double *bound; /**< (columns), for all rows; for energies (rows, columns) */
};

/** What the family keeps of a problem. */
struct md {
    const struct lab_md *problem; /**< its sizes and numbers; pointers come later */
    uint64_t seed;
    bool is_special;
    int side;        /**< sites of the lattice along an edge */
    double apart;    /**< distance from one site to the next */
    double drift[3]; /**< mean of the velocities drawn, which is subtracted from each */
    struct md_expected expected[MD_EXPECTED];
    bool is_loose; /**< bounds are so large that a wrong step may be within them */
};

/** Makes the lattice and the drift; the problem has its sizes and numbers by then. */
void md_begin_data(struct md *md);

/** Rows and columns of an array that count. */
size_t md_rows(const struct md *md, int which);
size_t md_columns(const struct md *md, int which);

/** `fill` of struct lab_family. */
void md_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count);

/** Component `axis` of particle i in one of the first three arrays, before a launch. */
float md_start(const struct md *md, int which, int axis, int i);

/** The i-th of the sums that K4 is given if it is alone. */
double md_given_sum(const struct md *md, size_t i);

/** Values of a particle that these parts read and write when they are merged, each value once: 18
 * for K5 and K6, which have 24 apart. K1's values count by themselves, since K1 needs all positions
 * before any of them changes. */
int md_values(unsigned kernels);

/** Computes what is expected; an exit status. */
int md_make_reference(struct lab_problem *p);

/** Frees what is expected. */
void md_free_reference(struct md *md);

/** Says which mistake gives the values found in array `which`; false: none, or too many. `got`: the
 * rows and columns of the array that count, without gaps. */
bool md_explain(const struct md *md, int which, const double *got, char *text, size_t size);

/** The same for forces and potentials, of one step. */
bool md_explain_pairs(const struct md *md, int which, const double *got, char *text, size_t size);

/** `check_output` of struct lab_family. */
cudaError_t md_check_output(struct lab_problem *p, struct lab_check *check);

#endif
