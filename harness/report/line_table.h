/**
 * @file line_table.h
 * @brief A kernel's source with counters beside each line, for a terminal.
 */
#ifndef LAB_LINE_TABLE_H
#define LAB_LINE_TABLE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints each row that has counts of lines: source, figures, and what stands out. */
void lab_line_table_print(const struct lab_result *result, FILE *stream);

#endif
