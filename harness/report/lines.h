/**
 * @file lines.h
 * @brief Counters beside the lines of a source, and what changed between two sources.
 */
#ifndef LAB_REPORT_LINES_H
#define LAB_REPORT_LINES_H

#include "measure/result.h"

#include <stdio.h>

/* --- a table of lines --------------------------------------------------------------------------*/

/** Prints each row that has counts of lines: source, figures, and what stands out. */
void lab_line_table_print(const struct lab_result *result, FILE *stream);

/* --- differences -------------------------------------------------------------------------------*/

/** Compares every other row that has counts of lines with the first such row. Prints lines of the
 * same text whose counts differ, and lines that only one of the rows has. Prints nothing for fewer
 * than two rows. */
void lab_line_difference_print(const struct lab_result *result, FILE *stream);

#endif
