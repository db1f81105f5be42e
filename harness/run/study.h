/**
 * @file study.h
 * @brief The studies of `run sweep` and `run plan`. Each is an awk program in harness/studies/,
 * whose comments also say which runs it is of; see the README there.
 */
#ifndef LAB_RUN_STUDY_H
#define LAB_RUN_STUDY_H

#include "report/sweep.h"
#include "run/run_rows.h"

#include <stdio.h>

/** The name of the study that the options ask for: "forms". */
const char *lab_study_of(const struct lab_options *options);

/**
 * @brief Makes every run of the study and reports them together.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed its check; another exit status after
 *         complaining
 */
int lab_study_run(const char *study, const struct lab_options *options,
                  const struct lab_device *device, const struct lab_run_plan *plan);

/**
 * @brief Gives the runs to the study's program, and copies what it prints.
 * @param want  "tables", "plots", or another word that the program knows
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_study_print(const char *study, const char *want, const struct lab_options *options,
                    const struct lab_sweep *sweep, FILE *stream);

/** Adds what the study says beside a run in JSON, such as a paper's figures. An exit status. */
int lab_study_add(const char *study, const struct lab_options *options, struct lab_sweep *sweep);

#endif
