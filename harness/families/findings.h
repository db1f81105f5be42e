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

/** All zero at the start, less `pattern.rows` and `pattern.columns`. */
struct lab_findings {
    struct lab_pattern pattern;      /**< pattern.wrong of them, of every kind */
    struct lab_pattern of_unwritten; /**< of those that nobody wrote alone */
    size_t unwritten, nans;          /**< nans: those that somebody wrote */
    struct lab_finding first, first_unwritten, first_nan;
    double worst, scale; /**< largest error, and largest scale, of those that are numbers */
    size_t specials;     /**< of which an infinity or NaN is expected */
    /** Sums over all of them, which tell whether all are scaled. */
    double expected, expected_squares, got_squares, products, errors;
    double least_ratio, most_ratio; /**< of got to expected; NaN where one has none */
    double least, most;             /**< expected */
    size_t whole, zero; /**< where no whole number is expected and one is there; of which 0 */
};

/** What a family says of its outputs. */
struct lab_advice {
    const char *of_unwritten; /**< where nobody wrote any */
    const char *of_nans;
    bool nans_are_of_memory; /**< which of_nans asks about: the simulator finds such reads itself */
    const char *cause;       /**< where all are written and numbers; NULL: only their places tell */
    bool is_open;            /**< the cause: it may come of several mistakes */
    bool is_untouched;       /**< the cause: all hold what was there before, as if never written */
    bool is_seen;            /**< the cause: the values speak for it, not only where they are */
    const char *of_most;     /**< where most is wrong */
    const char *of_some;     /**< where some are, of no shape; NULL: the words that suit all */
    const char *of_moved;    /**< where right values stand elsewhere; NULL: they do not */
    const char *of_several;  /**< where it is several times what it should be; NULL: nothing more */
    const char *of_special; /**< where none is wrong but what is no number; NULL: that means nothing
                                 in this family */
    const char *row_of, *column_of; /**< see lab_moved_say() */
    double term;   /**< the least error that a missing term makes; 0: it may be tiny */
    bool is_exact; /**< nothing is rounded */
};

/** Takes in a wrong element. `scale`: what its error is measured against. */
void lab_findings_note(struct lab_findings *findings, struct lab_finding finding, double scale,
                       bool is_unwritten);

/** The first element that has the status which they make: what was never written comes before NaN,
 * which may come of it. */
const struct lab_finding *lab_findings_shown(const struct lab_findings *findings);

/**
 * @brief Sets the status; appends to the message, behind "; ", what they have in common and what
 * to look at.
 * @param counted  elements that were looked at
 */
void lab_findings_conclude(const struct lab_findings *findings, size_t counted,
                           const struct lab_advice *advice, struct lab_check *check);

#endif
