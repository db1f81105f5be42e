/**
 * @file formats.h
 * @brief Outcomes for people and for the programs of a course. All reports come from the same
 * outcomes.
 */
#ifndef LAB_GRADE_FORMATS_FORMATS_H
#define LAB_GRADE_FORMATS_FORMATS_H

#include "grade/outcome/outcome.h"

#include <stdio.h>

/** A graded folder. */
struct lab_grading {
    const char *target; /**< "exercise05" */
    const char *title;
    const char *runtime;     /**< "sim" or "gpu" */
    const char *device;      /**< what submissions were timed on; "" when they were not */
    const char *confinement; /**< one line: what was in force */
    const char *commit;      /**< of the lab, with "-dirty" if files were changed; "": not known */
    const struct lab_settings *settings;
    const struct lab_outcome *const *outcomes;
    int count;
};

/** The table on a terminal: a line per submission, then how many passed. */
void lab_grading_table(const struct lab_grading *grading, FILE *stream);

/** JSON: one object with a list of submissions, check.status as everywhere. */
void lab_grading_json(const struct lab_grading *grading, FILE *stream);

/** CSV: one row per submission (RFC 4180). */
void lab_grading_csv(const struct lab_grading *grading, FILE *stream);

/** JUnit XML: a test suite per submission. */
void lab_grading_junit(const struct lab_grading *grading, FILE *stream);

/** Gradescope's results.json of one submission. */
void lab_grading_gradescope(const struct lab_grading *grading, const struct lab_outcome *outcome,
                            FILE *stream);

/** The feedback for a student: every test that the student may see, and what to look at. */
void lab_grading_feedback(const struct lab_grading *grading, const struct lab_outcome *outcome,
                          FILE *stream);

#endif
