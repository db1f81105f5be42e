/**
 * @file study_runs.h
 * @brief Makes the runs of a study.
 */
#ifndef LAB_RUN_STUDY_RUNS_H
#define LAB_RUN_STUDY_RUNS_H

#include "report/sweep.h"
#include "run/run_rows.h"
#include "run/study_file.h"

/**
 * @brief Makes the runs of one line, with each value of its words, the last word's changing first.
 *
 * What the user has given goes before what the line says.
 * @return an exit status: LAB_EXIT_FAILED after printing the table of a run with a wrong row
 */
int lab_study_runs_take(const struct lab_study_line *line, const struct lab_options *options,
                        const struct lab_run_plan *plan, struct lab_sweep *sweep);

#endif
