/**
 * @file rows.h
 * @brief Which rows a run has: the reference, the baselines, and the target's own.
 */
#ifndef LAB_RUN_ROWS_H
#define LAB_RUN_ROWS_H

#include "measure/result.h"

/** Adds the row that stands for the reference: the family's own, or that of its name in the
 * target's own step, where it is built. */
void lab_rows_add_reference(struct lab_result *result, const struct lab_family *family,
                            const char *target);

/** Beside each of the rows from `first` on that has a form with the same bits every time, adds that
 *  form. */
int lab_rows_add_deterministic(struct lab_result *result, int first);

/**
 * @brief Adds rows of a step.
 * @param variant  only the row of this name; NULL: all
 * @return rows added; 0 when there is no such variant or no room
 */
int lab_rows_add_step(struct lab_result *result, const struct lab_step *step, const char *target,
                      const char *variant, bool with_target_name);

/** Adds the last row of step 01 and of the target's parent, as far as they are built and of the
 *  same family, to be compared with. */
void lab_rows_add_baselines(struct lab_result *result, const char *target,
                            const struct lab_family *family);

/** Takes out the rows that do not solve what the options ask for. */
void lab_rows_drop_unfit(struct lab_result *result, const struct lab_options *options);

#endif
