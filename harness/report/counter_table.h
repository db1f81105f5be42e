/**
 * @file counter_table.h
 * @brief The counters of a run as a second table for a terminal.
 */
#ifndef LAB_COUNTER_TABLE_H
#define LAB_COUNTER_TABLE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints a column for each row that has counters, and a line for each counter; nothing if no row
 *  has any. With a GPU's counters, the simulator's have columns of their own. */
void lab_counter_table_print(const struct lab_result *result, FILE *stream);

#endif
