/**
 * @file run_rows.h
 * @brief One run: its rows are gathered, checked, timed and counted.
 */
#ifndef LAB_RUN_RUN_ROWS_H
#define LAB_RUN_RUN_ROWS_H

#include "run/plan.h"

/** Makes the run that the options describe; an exit status. A failed check is a result. */
int lab_run_rows(const struct lab_options *options, const struct lab_device *device,
                 const struct lab_run_plan *plan, struct lab_result *result);

/** Sets a row's figures that its family names in place of times, from its counters. */
void lab_run_note_counted(const struct lab_family *family, struct lab_row *row);

#endif
