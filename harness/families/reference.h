/**
 * @file reference.h
 * @brief An output by a library, which is taken as what is expected once sums of more digits agree
 * with it.
 */
#ifndef LAB_REFERENCE_H
#define LAB_REFERENCE_H

#include "families/problem.h"

/** How a family's output is expected. */
struct lab_reference {
    const char *library; /**< "cublasDgemm" */
    const char *sums;    /**< of more digits: "compensated" */
    const char *hint;    /**< why the library may be wrong, such as " (is ...?)"; "" */
    int output;          /**< which array */
    void *expected;      /**< on the host, like the array but without gaps between rows */
    double tolerance;
    double (*exact)(const struct lab_problem *problem, size_t row, size_t column);
};

/** Launches the family's library call and copies the output; an exit status. */
int lab_reference_take(struct lab_problem *problem, const struct lab_reference *reference);

/** Compares a sample of it with exact sums, but not elements that overflow. An exit status. */
int lab_reference_verify(const struct lab_problem *problem, const struct lab_reference *reference);

#endif
