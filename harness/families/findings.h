/**
 * @file findings.h
 * @brief Wrong elements of an output: which to show, which status they make, what to look at.
 */
#ifndef LAB_FINDINGS_H
#define LAB_FINDINGS_H

#include "families/check.h"
#include "families/pattern.h"

#include <stdbool.h>
#include <stddef.h>

/** One wrong element. */
struct lab_finding {
    size_t row, column;
    double expected, got;
};

/** All zero at the start, except for `pattern.rows` and `pattern.columns`. */
struct lab_findings {
    struct lab_pattern pattern;      /**< of all wrong elements; `wrong` is their number */
    struct lab_pattern of_unwritten; /**< of the elements that nobody wrote */
    size_t unwritten, nans;          /**< nans: NaN that somebody wrote */
    struct lab_finding first, first_unwritten, first_nan;
    double worst, scale; /**< largest error, and largest scale, of elements that are numbers */
    size_t specials;     /**< elements for which an infinity or NaN is expected */
    /** Sums over all wrong elements, which tell whether all are scaled. */
    double expected, expected_squares, got_squares, products, errors;
    double least_ratio, most_ratio; /**< of got / expected; NaN if an element has no ratio */
    double least, most;             /**< of the expected values */
    size_t whole, zero;             /**< whole: whole numbers where none is expected; zero: zeros */
};

/** What a family says of its outputs. */
struct lab_advice {
    const char *of_unwritten; /**< if elements were never written */
    const char *of_nans;
    bool nans_are_of_memory; /**< of_nans asks about reads of memory: the simulator finds these */
    const char *cause;       /**< if all are written and numbers; NULL: only their places tell */
    bool is_open;            /**< the cause may come of several mistakes */
    bool is_untouched;       /**< the cause: all hold what was there before, as if never written */
    bool is_seen;            /**< the values confirm the cause, not only the places */
    const char *of_most;     /**< if most elements are wrong */
    const char *of_some;     /**< if some are wrong, in no shape; NULL: the words for any family */
    const char *of_moved;    /**< if right values stand in wrong places; NULL: they do not */
    const char *of_several;  /**< if elements are several times what is expected; NULL: nothing */
    const char *of_special;  /**< if all that is wrong should be no number; NULL: nothing */
    const char *row_of, *column_of; /**< see lab_moved_say() */
    double term;   /**< the least error that a missing term makes; 0: it may be tiny */
    bool is_exact; /**< nothing is rounded */
};

/** Takes in a wrong element. `scale`: the value that its error is relative to. */
void lab_findings_note(struct lab_findings *findings, struct lab_finding finding, double scale,
                       bool is_unwritten);

/** The wrong element to show: the first that was never written, else the first NaN, which may come
 * of unwritten ones, else the first of all. */
const struct lab_finding *lab_findings_shown(const struct lab_findings *findings);

/**
 * @brief Sets the status. Appends to the message, after "; ", what the wrong elements have in
 * common and what to look at.
 * @param counted  elements that were compared
 */
void lab_findings_conclude(const struct lab_findings *findings, size_t counted,
                           const struct lab_advice *advice, struct lab_check *check);

#endif
