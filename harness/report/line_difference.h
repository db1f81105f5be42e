/**
 * @file line_difference.h
 * @brief Compares the sources of kernels: the lines whose costs differ.
 */
#ifndef LAB_LINE_DIFFERENCE_H
#define LAB_LINE_DIFFERENCE_H

#include "measure/result.h"

#include <stdio.h>

/** Compares every other row that has counts of lines with the first such row. Prints lines of the
 * same text whose counts differ, and lines that only one of the rows has. Prints nothing for fewer
 * than two rows. */
void lab_line_difference_print(const struct lab_result *result, FILE *stream);

#endif
