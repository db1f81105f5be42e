/**
 * @file terminal.h
 * @brief A run's result as text for a terminal.
 */
#ifndef LAB_REPORT_TERMINAL_H
#define LAB_REPORT_TERMINAL_H

#include "measure/result.h"

#include <stdio.h>

/* --- a table of the rows -----------------------------------------------------------------------*/

/** Prints the result: device, problem, a line for each row, then what is wrong. Colours only on a
 * terminal. */
void lab_table_print(const struct lab_result *result, FILE *stream);

/* --- a table of counters -----------------------------------------------------------------------*/

/** Prints a column for each row that has counters, and a line for each counter; nothing if no row
 *  has any. With a GPU's counters, the simulator's have columns of their own. */
void lab_counter_table_print(const struct lab_result *result, FILE *stream);

/* --- counters beside the lines of a source -----------------------------------------------------*/

/** Prints each row that has counts of lines: source, figures, and what stands out. */
void lab_line_table_print(const struct lab_result *result, FILE *stream);

/* --- what changed between two sources ----------------------------------------------------------*/

/** Compares every other row that has counts of lines with the first such row. Prints lines of the
 * same text whose counts differ, and lines that only one of the rows has. Prints nothing for fewer
 * than two rows. */
void lab_line_difference_print(const struct lab_result *result, FILE *stream);

/* --- how near the rows come to what the device allows ------------------------------------------*/

/** Prints the roof of the problem, and a bar for each row. If rows have no times, or if the
 *  operations of the problem or the peaks of the device are unknown, it says so instead. */
void lab_roofline_print(const struct lab_result *result, FILE *stream);

/* --- the banks and sectors that the lanes of a warp access -------------------------------------*/

/** Prints, for each row that has the source line, the line's first access to each array. */
void lab_bank_view_print(const struct lab_result *result, int line, FILE *stream);

/* --- what a warp executes ----------------------------------------------------------------------*/

/** Prints, for each row, the lines that the watched warp executes, in their order, with the memory
 * that their accesses touch. Of a loop, it prints the first iterations and a count of the others.
 *  @param keys  Enter is awaited from it after each line, and q ends; NULL: nothing is awaited */
void lab_warp_trace_print(const struct lab_result *result, FILE *stream, FILE *keys);

#endif
