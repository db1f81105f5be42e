/**
 * @file table.h
 * @brief The result as a table for a terminal.
 */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the result: device, problem, a row each, then what is wrong. Colour only on a terminal.
 */
void lab_table_print(const struct lab_result *result, FILE *stream);

#endif
