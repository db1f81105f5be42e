/**
 * @file options.h
 * @brief What the command line may say of molecular dynamics, besides the number of particles.
 */
#ifndef LAB_MD_OPTIONS_H
#define LAB_MD_OPTIONS_H

#include "families/md.h"
#include "options/family.h"

#include <stdbool.h>

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

#endif
