/**
 * @file line_difference.h
 * @brief Two kernels' sources side by side: the lines whose cost differs.
 */
#ifndef LAB_LINE_DIFFERENCE_H
#define LAB_LINE_DIFFERENCE_H

#include "measure/result.h"

#include <stdio.h>

/** Compares each further row that has counts of lines with the first such row: lines of the same
 * text whose counts differ, and lines that only one of them has. Nothing for fewer than two rows.
 */
void lab_line_difference_print(const struct lab_result *result, FILE *stream);

#endif
