/**
 * @file table.h
 * @brief Prints the result as a table for a terminal.
 */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the result: device, problem, a line for each row, then what is wrong. Colours only on a
 * terminal. */
void lab_table_print(const struct lab_result *result, FILE *stream);

#endif
