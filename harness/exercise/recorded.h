/**
 * @file recorded.h
 * @brief The runs of a solution as recorded for a hand-out, which has the solution's figures and no
 * solution: an exercise is compared with them in place of launches.
 */
#ifndef LAB_EXERCISE_RECORDED_H
#define LAB_EXERCISE_RECORDED_H

#include "measure/result.h"
#include "series/registry.h"

#include <stdio.h>

/** Writes the first line of a file of figures: the GPU that they are of. */
void lab_recorded_begin(const struct lab_device *device, FILE *file);

/** Writes the figures of a run's rows; `options`: its sizes as goal.txt has them, "": those of the
 *  comparison. */
void lab_recorded_write(const struct lab_result *result, const char *options, FILE *file);

/**
 * @brief Puts the solution's rows before those of a result, as they were recorded.
 * @param options  sizes of the run as goal.txt has them; "": those of the comparison
 * @param result   gets rows without kernels: they are not launched. lab_result_release() frees what
 *                 they own
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining: there is no such
 * run
 */
int lab_recorded_put(const struct lab_registry_entry *entry, const char *options,
                     const struct lab_device *device, struct lab_result *result);

#endif
