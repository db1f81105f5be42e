/**
 * @file run.h
 * @brief A run from its options to what is shown of it.
 */
#ifndef LAB_RUN_RUN_H
#define LAB_RUN_RUN_H

#include "measure/result.h"
#include "options/options.h"
#include "run/plan.h"

/* --- one run: its rows are gathered, checked, timed and counted --------------------------------*/

/** Makes the run that the options describe; an exit status. A failed check is a result. */
int lab_run_rows(const struct lab_options *options, const struct lab_device *device,
                 const struct lab_run_plan *plan, struct lab_result *result);

/** Sets a row's figures that its family names in place of times, from its counters. */
void lab_run_note_counted(const struct lab_family *family, struct lab_row *row);

/* --- a run for people, for programs, or for the process that asked for it ----------------------*/

/** The exit status that the checks of all rows come to. */
int lab_show_verdict(const struct lab_result *result);

/** Takes one run and shows it; an exit status: LAB_EXIT_FAILED when a row failed its check. */
int lab_run_and_show(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan);

/* --- checks a target on its family's awkward problems, with one verdict ------------------------*/

/**
 * @brief Checks the target's rows on each of the problems and prints the verdicts.
 *
 * A problem that no row solves, such as one with paths, is left out with a note. JSON is that of a
 * study, with a run for each problem.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed; another exit status after complaining
 */
int lab_thorough_run(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan);

/* --- the files that options ask for ------------------------------------------------------------*/

/** Tries before the run whether the files can be written: LAB_EXIT_OK, or the status after
 * complaining. */
int lab_files_check(const struct lab_options *options);

/** Writes the files: LAB_EXIT_OK, or an exit status after complaining. */
int lab_files_write(const struct lab_options *options, const struct lab_result *result);

#endif
