/**
 * @file explain.h
 * @brief What wrong particles and energies of family md come from.
 */
#ifndef LAB_MD_EXPLAIN_H
#define LAB_MD_EXPLAIN_H

#include "families/md/md.h"

/** Says which mistake gives the values found in array `which`; false: none, or too many. `got`: the
 * rows and columns of the array that count, without gaps. */
bool md_explain(const struct md *md, int which, const double *got, char *text, size_t size);

/** The same for forces and potentials, of one step. */
bool md_explain_pairs(const struct md *md, int which, const double *got, char *text, size_t size);

#endif
