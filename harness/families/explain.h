/**
 * @file explain.h
 * @brief Causes of wrong elements that a family can compute: what an element would be, if a
 * factor, a term or a barrier were left out. Those that no wrong element refutes are said.
 */
#ifndef LAB_EXPLAIN_H
#define LAB_EXPLAIN_H

#include "families/findings.h"

/** A cause, behind "as if". All zero at the start, less the texts. */
struct lab_explanation {
    const char *text, *hint; /**< hint: where to look, if it is this one for sure; or NULL */
    bool is_refuted;
    size_t fits; /**< elements that it explains */
};

/** Whether an element is wrong by so much that no two causes look alike for rounding. */
bool lab_explain_counts(const struct lab_finding *finding, double tolerance);

/** Compares what a wrong element would be by this cause with what it is. */
void lab_explain_note(struct lab_explanation *explanation, double value,
                      const struct lab_finding *finding, double tolerance);

/** Says of `what` the causes that all elements speak for; false: there are none, or too many to
 *  choose from. NULL: of each of these, or this where it is one. */
bool lab_explain_say(const struct lab_explanation *explanations, size_t count, const char *what,
                     char *text, size_t size);

/** Sums of terms in their order, of a few wrong elements beside each other. */
struct lab_sums {
    const char *index, *terms; /**< "k", "products" */
    int count;                 /**< terms of each */
    int elements;
    double tolerance[4], error[4]; /**< of each: got less expected */
    const double *sums[4];         /**< of the terms before each index: count + 1 */
    bool is_sure;                  /**< one element tells: hardly anything rounds to another sum */
    bool has_scratch;              /**< parts of a sum may lie there */
};

/** Says which neighbouring terms are missing from all of these elements, or are in them twice. */
bool lab_sums_say_run(const struct lab_sums *sums, char *text, size_t size);

#endif
