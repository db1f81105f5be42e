/**
 * @file rows.h
 * @brief Which rows a run has: the reference, the baselines, and the target's own.
 */
#ifndef LAB_RUN_ROWS_H
#define LAB_RUN_ROWS_H

#include "measure/result.h"
#include "run/plan.h"
#include "series/registry.h"

/** Adds the row of the reference: the family's own, or the row of that name in a stage of the
 * target's step, if that is built. */
void lab_rows_add_reference(struct lab_result *result, const struct lab_family *family,
                            const char *target);

/** For each row from `first` on, adds its form that gives the same bits every time, if any. */
int lab_rows_add_deterministic(struct lab_result *result, int first);

/** A kernel file that is loaded. */
struct lab_loaded {
    const struct lab_step *step;
    const char *target;            /**< "step08"; the file's name, if no target names it */
    const struct lab_stage *stage; /**< the stage that it is or replaces; NULL: none */
    const char *source;            /**< file given in place of that stage; NULL: none */
};

/** Whether a list of names of rows, separated by commas, has this name; NULL has all names. */
bool lab_variant_named(const char *list, const char *name);

/**
 * @brief Adds the rows of a kernel file.
 * @param prefix   what stands before a row's name, with a dot; NULL: nothing
 * @param variant  only the rows of these names, see lab_variant_named(); NULL: all
 * @return rows added; 0 when there is no such variant or no room
 */
int lab_rows_add(struct lab_result *result, const struct lab_loaded *file, const char *prefix,
                 const char *variant);

/** Adds the rows that a target's `count` stages are compared with: the last row of the first stage
 * of their problem, and the last row of the stage that the first of them builds on. Stages that are
 * not built, of another family or among `own` are left out. */
void lab_rows_add_baselines(struct lab_result *result, const struct lab_stage *own, int count,
                            const struct lab_family *family);

/** Takes out the rows that do not solve what the options ask for. */
void lab_rows_drop_unfit(struct lab_result *result, const struct lab_options *options);

/* Loads the targets and kernel files that the options name, and lists their rows and the rows that
 * they are compared with. */

/** Loads what the options name and lists the rows of the result; an exit status. A kernel file that
 *  does not build is a result, too. */
int lab_gather_rows(const struct lab_options *options, const struct lab_run_plan *plan,
                    struct lab_result *result);

#endif
