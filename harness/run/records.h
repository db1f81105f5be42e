/**
 * @file records.h
 * @brief The runs of a study as text, for the awk programs in harness/studies/.
 */
#ifndef LAB_RUN_RECORDS_H
#define LAB_RUN_RECORDS_H

#include "options/options.h"
#include "report/sweep.h"

#include <stdio.h>

/**
 * @brief Writes one figure on each line, with tabs between its parts: "sweep NAME VALUE", "run RUN
 * NAME VALUE" or "row RUN ROW NAME VALUE".
 *
 * Runs and rows are counted from 1. What is not known or was not measured is left out.
 */
void lab_records_write(const struct lab_sweep *sweep, const struct lab_options *options,
                       FILE *stream);

#endif
