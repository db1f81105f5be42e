/**
 * @file rows.h
 * @brief Which rows a run has: the reference, the baselines, and the target's own.
 */
#ifndef LAB_RUN_ROWS_H
#define LAB_RUN_ROWS_H

#include "measure/result.h"
#include "series/registry.h"

/** Adds the row that stands for the reference: the family's own, or that of its name in a stage of
 * the target's step, where it is built. */
void lab_rows_add_reference(struct lab_result *result, const struct lab_family *family,
                            const char *target);

/** Beside each of the rows from `first` on that has a form with the same bits every time, adds that
 *  form. */
int lab_rows_add_deterministic(struct lab_result *result, int first);

/** A kernel file that is loaded. */
struct lab_loaded {
    const struct lab_step *step;
    const char *target;            /**< "step08"; of a file that no target names, its name */
    const struct lab_stage *stage; /**< that it is, or in whose place it stands; NULL: none */
    const char *source;            /**< given in its place; NULL: none */
};

/** Whether a list of rows' names with commas between them has this one; NULL has all. */
bool lab_rows_named(const char *list, const char *name);

/**
 * @brief Adds the rows of a kernel file.
 * @param prefix   what stands before a row's name, with a dot; NULL: nothing
 * @param variant  only the rows of these names, see lab_rows_named(); NULL: all
 * @return rows added; 0 when there is no such variant or no room
 */
int lab_rows_add(struct lab_result *result, const struct lab_loaded *file, const char *prefix,
                 const char *variant);

/** Adds what `count` stages, those of a target, are compared with, as far as it is built, of the
 * same family and none of them: the last row of the first stage of their problem, and of the stage
 * that the first of them builds on. */
void lab_rows_add_baselines(struct lab_result *result, const struct lab_stage *own, int count,
                            const struct lab_family *family);

/** Takes out the rows that do not solve what the options ask for. */
void lab_rows_drop_unfit(struct lab_result *result, const struct lab_options *options);

#endif
