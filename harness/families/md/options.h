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
    float dt, mass;
    float cutoff;     /**< 0: not given */
    unsigned kernels; /**< set of lab_md_kernels */
};

/** Whether these parts are some of K5 to K7 alone, which read clones of what they overwrite. */
static inline bool md_is_apart(unsigned kernels)
{
    return !(kernels & LAB_MD_K4);
}

extern const struct lab_family_options lab_md_options, lab_md_rest_options;

#endif
