/**
 * @file explanation.h
 * @brief Causes of wrong elements that a family can compute: what an element would be, if a
 * factor, a term or a barrier were left out. Those that no wrong element refutes are said.
 */
#ifndef LAB_EXPLAIN_H
#define LAB_EXPLAIN_H

#include "diagnose/mismatch.h"

/** A cause, as the words after "as if". All zero at the start, except for the texts. */
struct lab_explanation {
    const char *text, *hint; /**< hint: where to look, if this is the only cause; or NULL */
    bool is_refuted;
    size_t fits; /**< elements that it explains */
};

/** Whether an element is so wrong that rounding cannot make two causes look alike. */
bool lab_explain_counts(const struct lab_mismatch *finding, double tolerance);

/** Compares a wrong element with the value that it would have by this cause. */
void lab_explain_note(struct lab_explanation *explanation, double value,
                      const struct lab_mismatch *finding, double tolerance);

/** Says of `what` the causes that all elements confirm; false: there are none, or too many. If
 * `what` is NULL, says "each of these", or "this" for a single element. */
bool lab_explain_say(const struct lab_explanation *explanations, size_t count, const char *what,
                     char *text, size_t size);

/** Term i of a sum, in the order in which a kernel may add. */
typedef double lab_term_fn(const void *context, int element, int i);

/** Sums of terms, for a few neighbouring wrong elements. */
struct lab_sums {
    const char *index, *terms; /**< "k", "products" */
    int count;                 /**< terms of each sum */
    int elements;
    double tolerance[4], error[4]; /**< of each element; error: got - expected */
    double *sums;            /**< (elements, count + 1), of the terms before each index; owned */
    int other_sizes[2];      /**< that a guard may compare the index with; 0: none */
    const char *other_names; /**< a letter for each: "mn" */
    bool is_sure;            /**< one element tells: hardly any other sum rounds to it */
    bool has_scratch;        /**< a kernel may keep parts of a sum in scratch memory */
};

/** Adds up all terms; false: there is no memory. */
bool lab_sums_add(struct lab_sums *sums, lab_term_fn *term, const void *context);

/** The sum of an element's terms from index `from` to before `to`. */
static inline double lab_sums_part(const struct lab_sums *s, int element, int from, int to)
{
    const double *const sums = s->sums + element * ((size_t)s->count + 1);
    return sums[to] - sums[from];
}

/** Says which neighbouring terms are missing from all of these elements, or are in them twice. */
bool lab_sums_say_run(const struct lab_sums *sums, char *text, size_t size);

/** Adds up the terms, says that of them, and frees the sums. */
bool lab_sums_explain(struct lab_sums *sums, lab_term_fn *term, const void *context, char *text,
                      size_t size);

#endif
